// Encodes a text in parts that have the same tokens alone as together. Without offsets, the parts are chunks:
// most of them are known, and a known chunk takes one lookup in a cache, whatever the steps of the pipeline
// are. With offsets, the parts are sections of many chunks, so that the memory for the steps is that of a
// section.
#include <algorithm>
#include <iterator>

#include "locus/text/pipeline/pipeline.h"

namespace locus {
namespace {

// A section begins at most kSection bytes after the one before it, unless a chunk is longer. A text with a
// section longer than kLongestSection is encoded as a whole, because the check of a section takes more
// memory.
constexpr size_t kSection = size_t{1} << 16, kLongestSection = 4 * kSection;

}  // namespace

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
  if (!chunks_raw_text_) {
    parts_.normalizer->apply(whole);
    budget.finish(whole.text().size());
  }
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

// Encodes one chunk of a text that is split from its start.
bool Pipeline::append_chunk(std::string_view chunk, bool first, TextBudget& budget,
                            std::vector<Piece>& scratch, std::vector<int32_t>& ids) const {
  const ChunkPlace place = {.raw = chunks_raw_text_, .first = first, .starts_text = first};
  return with_words(chunk, place, budget, [&](const AlignedText& text, const Words& words, size_t) {
    scratch.clear();
    for (const auto& [begin, end] : words)
      parts_.model->append(text.text().substr(begin, end - begin), scratch);
    std::ranges::transform(scratch, std::back_inserter(ids), &Piece::id);
  });
}

bool Pipeline::append_sections(const AlignedText& text, bool raw, WordCache& cache,
                               Encoding& encoding) const {
  const std::string_view all = text.text();
  if (chunking_.end == nullptr || all.size() <= kSection) return false;
  const size_t count = encoding.size();
  const TextBudget budget = text.budget();
  const uint32_t start = text.source(0, 1).begin;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    end = section_end(all, begin);
    const ChunkPlace place = {.raw = raw, .first = begin == 0, .starts_text = begin + start == 0};
    const auto append = [&](const AlignedText& section, const Words& words, size_t before) {
      const size_t known = encoding.size();
      append_words(section, words, cache, encoding);
      for (TextSpan& span : std::span(encoding.offsets).subspan(known)) {
        span.begin += static_cast<uint32_t>(begin - before);
        span.end += static_cast<uint32_t>(begin - before);
        span = raw ? TextSpan{start + span.begin, start + span.end} : text.source(span.begin, span.end);
      }
      const size_t likely = (encoding.size() - count) * (all.size() - end) / end;
      encoding.make_room(std::min(likely + likely / 32, 4 * encoding.size()));
    };
    if (end - begin <= kLongestSection &&
        with_words(all.substr(begin, end - begin), place, text.budget(), append))
      continue;
    encoding.resize(count);
    text.budget() = budget;
    return false;
  }
  return true;
}

// The end of the last chunk that begins in the section.
size_t Pipeline::section_end(std::string_view text, size_t begin) const {
  const size_t least = std::min(begin + kSection, text.size());
  // Whether a text may be split at a space depends on its neighbors only.
  if (chunking_.needs == SplitPoints::at_spaces) return chunking_.end(text, least);
  while (begin < least) begin = chunking_.end(text, begin);
  return begin;
}

// Calls use(text, words, before) with the words of a chunk; the chunk begins at byte `before` of
// text.original(). A chunk that was split at spaces is between two letters, which represent its neighbors. If
// the steps change these letters, the text cannot be split there, and this returns false.
template <class Use>
bool Pipeline::with_words(std::string_view chunk, ChunkPlace place, TextBudget& budget, Use&& use) const {
  const bool at_spaces = chunking_.needs == SplitPoints::at_spaces, between = at_spaces && !place.first;
  constexpr std::string_view kAfter = " a";
  const size_t before = place.starts_text ? 0 : 1;
  std::string around;
  around.reserve(before + chunk.size() + kAfter.size());
  (around.append(before, 'a') += chunk) += kAfter;
  const size_t begin = between ? 0 : before;
  AlignedText text(around, begin, before + chunk.size(), &budget);
  if (place.raw && parts_.normalizer != nullptr) {
    parts_.normalizer->apply(text);
    if (at_spaces) {
      AlignedText longer(around, begin, around.size(), &budget);
      parts_.normalizer->apply(longer);
      const std::string_view all = longer.text();
      if (!all.ends_with(kAfter) || all.substr(0, all.size() - kAfter.size()) != text.text()) return false;
    }
  }
  if (place.raw) budget.finish(text.text().size());
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
  use(text, words, before);
  return true;
}

}  // namespace locus
