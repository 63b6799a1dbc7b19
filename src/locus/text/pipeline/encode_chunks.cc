// Encodes without offsets. Most chunks of a text are known, and a known chunk takes one lookup in a cache,
// whatever the steps of the pipeline are.
#include <algorithm>
#include <iterator>

#include "locus/text/pipeline/pipeline.h"

namespace locus {

std::vector<int32_t> Pipeline::encode(std::string_view text, Specials specials) const {
  std::vector<int32_t> ids;
  if (normalized_.finds_nothing(specials) && raw_.finds_nothing(text, specials) && append_chunks(text, ids)) {
    return ids;
  }
  return tokens_of(text, specials).ids;
}

bool Pipeline::append_chunks(std::string_view text, std::vector<int32_t>& ids) const {
  if (chunking_.end == nullptr) return false;
  TextBudget budget(text.size());
  AlignedText whole(text, 0, text.size(), &budget);
  if (!chunks_raw_text_) parts_.normalizer->apply(whole);
  const std::string_view all = whole.text();
  const CachePool::Borrowed cache(chunk_caches_);
  std::vector<Piece> scratch;
  size_t done = 0;
  // A space at the start of a text may have another meaning than one between chunks, so this chunk is not
  // cached.
  if (chunking_.needs == SplitPoints::at_spaces && all.starts_with(' ')) {
    done = chunking_.end(all, 0);
    if (!append_chunk(all.substr(0, done), true, budget, scratch, ids)) return false;
  }
  const std::string_view rest = all.substr(done);
  return append_cached_words(rest, *cache, ids, chunking_.end, [&](size_t begin, size_t end) {
    return append_chunk(rest.substr(begin, end - begin), done + begin == 0, budget, scratch, ids);
  });
}

// Encodes one chunk. A chunk that was split at spaces is encoded between two letters, which stand for its
// neighbors. If the steps change these letters, the text cannot be split there, and this returns false.
bool Pipeline::append_chunk(std::string_view chunk, bool first, TextBudget& budget,
                            std::vector<Piece>& scratch, std::vector<int32_t>& ids) const {
  const bool at_spaces = chunking_.needs == SplitPoints::at_spaces, between = at_spaces && !first;
  constexpr std::string_view kAfter = " a";
  std::string around;
  around.reserve(1 + chunk.size() + kAfter.size());
  if (between) around += 'a';
  (around += chunk) += kAfter;
  AlignedText text(around, 0, around.size() - kAfter.size(), &budget);
  if (chunks_raw_text_ && parts_.normalizer != nullptr) {
    parts_.normalizer->apply(text);
    if (at_spaces) {
      AlignedText longer(around, 0, around.size(), &budget);
      parts_.normalizer->apply(longer);
      const std::string_view all = longer.text();
      if (!all.ends_with(kAfter) || all.substr(0, all.size() - kAfter.size()) != text.text()) return false;
    }
  }
  budget.finish(text.text().size());
  Words words;
  if (!text.text().empty()) words.push_back({0, text.text().size()});
  parts_.pre_tokenizer->apply(text, words);
  if (between) {
    // Skip the words of the letter in front, which may be more than one.
    const auto chunk_words = std::ranges::find_if(words, [&](const auto& word) {
      return text.source(word.begin, word.end) != TextSpan{0, 1};
    });
    if (chunk_words == words.begin()) return false;
    words.erase(words.begin(), chunk_words);
  }
  scratch.clear();
  for (const auto& [begin, end] : words)
    parts_.model->append(text.text().substr(begin, end - begin), scratch);
  std::ranges::transform(scratch, std::back_inserter(ids), &Piece::id);
  return true;
}

}  // namespace locus
