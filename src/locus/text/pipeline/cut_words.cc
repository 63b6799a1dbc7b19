// Cuts words at the matches of a pattern.
#include "locus/text/pipeline/pre_tokenizer.h"

namespace locus {
namespace {

// Takes matches and what lies between them, one behind the other, and joins them to words.
class Joiner {
 public:
  Joiner(Cut cut, Words& words) : cut_(cut), words_(words), first_(words.size()) {}

  void take(size_t begin, size_t end, bool match) {
    bool joined = false;
    if (cut_ == Cut::contiguous) joined = after_ && match_before_ == match;
    if (cut_ == Cut::with_previous) joined = after_ && match && !match_before_;
    // From the back: a match joins what stands behind it, unless that is a match too.
    if (cut_ == Cut::with_next) joined = match_before_ && !match;
    after_ = true;
    match_before_ = match;
    if (cut_ == Cut::removed && match) return;
    if (joined && words_.size() > first_) {
      words_.back().end = end;
    } else {
      words_.push_back({begin, end});
    }
  }

 private:
  Cut cut_;
  Words& words_;
  size_t first_;  // of its own words
  bool after_ = false, match_before_ = false;
};

}  // namespace

void cut_words(const AlignedText& text, const Pattern& pattern, Cut cut, bool inverted, Words& words) {
  Words result, matches;
  bool of_nothing = false;  // an empty match, which may leave an empty word
  for (const auto& [from, to] : words) {
    const std::string_view word = text.text().substr(from, to - from);
    matches.clear();
    pattern.find(word, matches);
    // Most cuts leave every match a word: a long text's words are not copied again and again.
    if (result.empty()) result.reserve(matches.size() + 1);
    Joiner joiner(cut, result);
    size_t done = 0;
    for (const auto& [begin, end] : matches) {
      of_nothing = of_nothing || begin == end;
      if (begin > done) joiner.take(from + done, from + begin, inverted);
      joiner.take(from + begin, from + end, !inverted);
      done = end;
    }
    if (done < word.size()) joiner.take(from + done, to, inverted);
  }
  if (of_nothing) std::erase_if(result, [](const auto& word) { return word.begin == word.end; });
  words = std::move(result);
}

}  // namespace locus
