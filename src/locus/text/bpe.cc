#include "locus/text/bpe.h"

#include <algorithm>
#include <utility>

#include "locus/base/error.h"
#include "locus/text/bpe_files.h"
#include "locus/text/merge_word.h"
#include "locus/text/word_cache.h"
#include "locus/text/word_scanner.h"

namespace locus {

Bpe::Bpe(BpeVocabulary vocabulary)
    : Tokenizer(static_cast<int32_t>(vocabulary.tokens.size()), std::move(vocabulary.specials)),
      form_(vocabulary.form),
      tokens_(std::move(vocabulary.tokens)),
      merges_(std::move(vocabulary.merges)),
      table_(merges_) {
  byte_ids_.fill(-1);
  for (int32_t id = 0; id < size(); ++id) {
    if (specials().name(id) != nullptr) continue;
    if (tokens_[id].size() == 1) byte_ids_[static_cast<unsigned char>(tokens_[id][0])] = id;
    if (form_ == BpeForm::ranks) whole_words_.emplace(tokens_[id], id);
  }
  const auto missing = std::ranges::find(byte_ids_, -1);
  require(missing == byte_ids_.end(),
          "the vocabulary of {} tokens has none for byte 0x{:02x}, expected one for each of the 256 bytes",
          size(), missing - byte_ids_.begin());
}

Bpe::~Bpe() = default;

void Bpe::append(std::string_view text, std::vector<int32_t>& ids) const {
  std::unique_ptr<WordCache> cache;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_caches_.empty()) {
      cache = std::move(idle_caches_.back());
      idle_caches_.pop_back();
    }
  }
  if (cache == nullptr) cache = std::make_unique<WordCache>();
  ids.reserve(ids.size() + text.size() / 3);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = word_end(text, begin);
    if (end - begin <= WordCache::kLongestWord) {
      append_cached(text, begin, end, *cache, ids);
    } else {
      append_word(text.substr(begin, end - begin), ids);
    }
    begin = end;
  }
  const std::lock_guard lock(mutex_);
  idle_caches_.push_back(std::move(cache));
}

void Bpe::append_cached(std::string_view text, size_t begin, size_t end, WordCache& cache,
                        std::vector<int32_t>& ids) const {
  const auto [entry, known] = cache.find(text, begin, end);
  if (known) {
    ids.insert(ids.end(), entry->ids.begin(), entry->ids.begin() + entry->count);
    return;
  }
  const size_t before = ids.size();
  append_word(text.substr(begin, end - begin), ids);
  const size_t count = ids.size() - before;
  if (count > WordCache::kMostIds) {
    entry->length = 0;  // does not fit: the place is empty
    return;
  }
  std::copy(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end(), entry->ids.begin());
  entry->count = static_cast<uint8_t>(count);
}

void Bpe::append_word(std::string_view word, std::vector<int32_t>& ids) const {
  if (form_ == BpeForm::ranks) {
    const auto found = whole_words_.find(word);
    if (found != whole_words_.end()) return ids.push_back(found->second);
  }
  const auto id_of = [&](char c) { return byte_ids_[static_cast<unsigned char>(c)]; };
  if (word.size() <= kShortWord) {
    std::array<int32_t, kShortWord> pieces;
    std::ranges::transform(word, pieces.begin(), id_of);
    const size_t count = merge_short(table_, pieces.data(), word.size());
    ids.insert(ids.end(), pieces.begin(), pieces.begin() + count);
  } else {
    std::vector<int32_t> pieces(word.size());
    std::ranges::transform(word, pieces.begin(), id_of);
    merge_long(table_, pieces);
    ids.insert(ids.end(), pieces.begin(), pieces.end());
  }
}

void Bpe::save(const std::filesystem::path& folder) const { save_bpe(*this, folder); }

}  // namespace locus
