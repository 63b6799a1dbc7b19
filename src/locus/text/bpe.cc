#include "locus/text/bpe.h"

#include <algorithm>
#include <utility>

#include "locus/base/error.h"
#include "locus/text/bpe_files.h"
#include "locus/text/cached_words.h"
#include "locus/text/merge_word.h"
#include "locus/text/word_scanner.h"

namespace locus {

Bpe::Bpe(BpeVocabulary vocabulary)
    : Tokenizer(static_cast<int32_t>(vocabulary.tokens.size()), std::move(vocabulary.specials)),
      form_(vocabulary.form),
      tokens_(std::move(vocabulary.tokens)),
      merges_(std::move(vocabulary.merges)),
      table_(merges_),
      caches_(std::make_unique<CachePool>()) {
  byte_ids_.fill(-1);
  for (int32_t id = 0; id < size(); ++id) {
    if (specials().name(id) != nullptr) continue;
    if (tokens_[id].size() == 1) byte_ids_[static_cast<unsigned char>(tokens_[id][0])] = id;
    if (form_ == BpeForm::ranks) whole_words_.emplace(tokens_[id], id);
  }
  const auto missing = std::ranges::find(byte_ids_, -1);
  require(
      missing == byte_ids_.end(),
      "the vocabulary of {} tokens has no token for byte 0x{:02x}, expected one for each of the 256 bytes",
      size(), missing - byte_ids_.begin());
}

Bpe::~Bpe() = default;

void Bpe::append(std::string_view text, std::vector<int32_t>& ids) const {
  const CachePool::Borrowed cache(*caches_);
  append_cached_words(text, *cache, ids, word_end, [&](size_t begin, size_t end) {
    append_word(text.substr(begin, end - begin), ids);
    return true;
  });
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
