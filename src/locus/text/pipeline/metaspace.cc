// Spaces as in SentencePiece: each becomes a visible mark, one is prepended, and words begin at the marks.
#include "locus/text/pipeline/pre_tokenizer.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

class Metaspace final : public PreTokenizer {
 public:
  explicit Metaspace(const JsonPart& part)
      : mark_(part.text("replacement", "\u2581")),
        blank_(word_pattern(" ")),
        marks_(word_pattern(mark_)),
        cuts_(part.flag("split", true)) {
    if (mark_.empty() || character_at(mark_, 0).length != mark_.size()) {
      part.refuse("replacement", "one character");
    }
    const std::string scheme =
        part.text("prepend_scheme", part.flag("add_prefix_space", true) ? "always" : "never");
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      part.refuse("prepend_scheme", "always, first or never");
    }
    always_ = scheme == "always";
    first_ = scheme == "first";
  }

  void apply(AlignedText& text, Words& words) const override {
    mark_blanks(text, words);
    std::vector<bool> wanted;
    for (const auto& [begin, end] : words) {
      const bool open = !text.text().substr(begin, end - begin).starts_with(mark_);
      wanted.push_back(open && (always_ || (first_ && text.source(begin, end).begin == 0)));
    }
    text.prepend(mark_, words, wanted);
    if (cuts_) cut_words(text, *marks_, Cut::with_next, false, words);
  }
  Chunking chunking() const override {
    return cuts_ ? Chunking{space_chunk_end, SplitPoints::at_spaces} : Chunking();
  }
  bool by_word() const override { return always_; }

 private:
  void mark_blanks(AlignedText& text, Words& words) const {
    Words matches;
    for (const auto& [begin, end] : words) {
      const size_t from = matches.size();
      blank_->find(text.text().substr(begin, end - begin), text.budget(), matches);
      for (size_t i = from; i < matches.size(); ++i) {
        matches[i].begin += begin;
        matches[i].end += begin;
      }
    }
    text.replace(matches, mark_);
    size_t next = 0, grown = 0;  // every space before a place shifts it
    const auto moved = [&](size_t place) {
      while (next < matches.size() && matches[next].begin < place) {
        ++next;
        grown += mark_.size() - 1;
      }
      return place + grown;
    };
    for (auto& word : words) {
      word.begin = moved(word.begin);
      word.end = moved(word.end);
    }
  }

  std::string mark_;
  std::unique_ptr<Pattern> blank_, marks_;
  bool cuts_, always_ = false, first_ = false;
};

}  // namespace

std::unique_ptr<PreTokenizer> read_metaspace(const JsonPart& part) {
  return std::make_unique<Metaspace>(part);
}

}  // namespace locus
