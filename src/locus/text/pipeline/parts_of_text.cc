// Ids without offsets: most parts of a text were seen before, and a known part is one look into a cache,
// whatever the steps of the pipeline are.
#include <algorithm>
#include <iterator>

#include "locus/text/pipeline/pipeline.h"

namespace locus {

std::vector<int32_t> Pipeline::encode(std::string_view text, Specials specials) const {
  std::vector<int32_t> ids;
  if (normalized_.finds_nothing(specials) && raw_.finds_nothing(text, specials) &&
      append_in_parts(text, ids)) {
    return ids;
  }
  return tokens_of(text, specials).ids;
}

bool Pipeline::append_in_parts(std::string_view text, std::vector<int32_t>& ids) const {
  if (parting_.end == nullptr) return false;
  AlignedText whole(text, 0, text.size());
  if (!raw_parts_) parts_.normalizer->apply(whole);
  const std::string_view all = whole.text();
  const CacheShelf::Lent parts(cut_parts_);
  std::vector<Piece> scratch;
  size_t done = 0;
  // A blank before everything may mean something else than one between two parts: it is not looked up.
  if (parting_.needs == Apart::at_blanks && all.starts_with(' ')) {
    done = parting_.end(all, 0);
    if (!append_alone(all.substr(0, done), true, scratch, ids)) return false;
  }
  const std::string_view rest = all.substr(done);
  return append_cached_words(rest, *parts, ids, parting_.end, [&](size_t begin, size_t end) {
    return append_alone(rest.substr(begin, end - begin), done + begin == 0, scratch, ids);
  });
}

// A part that was cut at blanks is looked at between two letters: what the steps do to them they would do to
// its neighbours. When they do not come out as they went in, the text cannot be cut there.
bool Pipeline::append_alone(std::string_view part, bool first, std::vector<Piece>& scratch,
                            std::vector<int32_t>& ids) const {
  const bool at_blanks = parting_.needs == Apart::at_blanks, between = at_blanks && !first;
  constexpr std::string_view kBehind = " a";
  std::string around;
  around.reserve(1 + part.size() + kBehind.size());
  if (between) around += 'a';
  (around += part) += kBehind;
  AlignedText text(around, 0, around.size() - kBehind.size());
  if (raw_parts_ && parts_.normalizer != nullptr) {
    parts_.normalizer->apply(text);
    if (at_blanks) {
      AlignedText longer(around, 0, around.size());
      parts_.normalizer->apply(longer);
      const std::string_view all = longer.text();
      if (!all.ends_with(kBehind) || all.substr(0, all.size() - kBehind.size()) != text.text()) return false;
    }
  }
  Words words;
  if (!text.text().empty()) words.push_back({0, text.text().size()});
  parts_.pre_tokenizer->apply(text, words);
  if (between) {
    // All that came of the letter in front, which may be more than one word.
    const auto of_part = std::ranges::find_if(words, [&](const auto& word) {
      return text.source(word.begin, word.end) != TextSpan{0, 1};
    });
    if (of_part == words.begin()) return false;
    words.erase(words.begin(), of_part);
  }
  scratch.clear();
  for (const auto& [begin, end] : words)
    parts_.model->append(text.text().substr(begin, end - begin), scratch);
  std::ranges::transform(scratch, std::back_inserter(ids), &Piece::id);
  return true;
}

}  // namespace locus
