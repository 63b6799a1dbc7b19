// Splits words at the matches of a pattern.
#include "locus/text/pipeline/pre_tokenizer.h"

namespace locus {
namespace {

// Receives matches and the text between them, in order, and joins them to words.
class Joiner {
 public:
  Joiner(Cut cut, Words& words) : cut_(cut), words_(words), first_(words.size()) {}

  void take(size_t begin, size_t end, bool match) {
    bool joined = false;
    if (cut_ == Cut::contiguous) joined = after_ && match_before_ == match;
    if (cut_ == Cut::with_previous) joined = after_ && match && !match_before_;
    // A match is joined to the text after it, unless that is also a match.
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
  size_t first_;  // index of its first word
  bool after_ = false, match_before_ = false;
};

}  // namespace

void cut_words(const AlignedText& text, const Pattern& pattern, Cut cut, bool inverted, Words& words) {
  Words result, matches;
  bool has_empty = false;  // there is an empty match, which may give an empty word
  for (const auto& [from, to] : words) {
    const std::string_view word = text.text().substr(from, to - from);
    matches.clear();
    pattern.find(word, text.budget(), matches);
    // In most cases every match becomes a word. Reserving avoids repeated copies for long texts.
    if (result.empty()) result.reserve(matches.size() + 1);
    Joiner joiner(cut, result);
    size_t done = 0;
    for (const auto& [begin, end] : matches) {
      has_empty = has_empty || begin == end;
      if (begin > done) joiner.take(from + done, from + begin, inverted);
      joiner.take(from + begin, from + end, !inverted);
      done = end;
    }
    if (done < word.size()) joiner.take(from + done, to, inverted);
  }
  if (has_empty) std::erase_if(result, [](const auto& word) { return word.begin == word.end; });
  words = std::move(result);
}

}  // namespace locus
