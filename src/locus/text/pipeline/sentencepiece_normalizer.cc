// The normalizer of SentencePiece itself: at every place, the longest prefix with a rule is replaced. Spaces
// are collapsed, one is prepended, and each is written as U+2581.
#include "locus/text/pipeline/charsmap.h"
#include "locus/text/pipeline/marian.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr std::string_view kMark = "\u2581", kReplacement = "\ufffd";

class SentencePieceNormalizer final : public Normalizer {
 public:
  SentencePieceNormalizer(const SentencePieceModel& model, const std::string& where)
      : where_(where + ": character map"),
        first_(model.blank_first),
        joins_(model.joins_blanks),
        mark_(model.marks_blanks ? kMark : " ") {
    if (!model.charsmap.empty()) rules_.emplace(model.charsmap, where_);
  }

  void apply(AlignedText& text) const override {
    const std::string_view all = text.text();
    size_t begin = 0;
    while (joins_ && begin < all.size() && word_at(all, begin).word == " ") {
      begin += word_at(all, begin).length;
    }
    Writer out;
    if (begin < all.size() && first_) out.append(mark_, {begin, begin + word_at(all, begin).length});
    size_t written = 0;   // bytes of all words
    bool blank = joins_;  // whether the last output is a space
    while (begin < all.size()) {
      const CharsMap::Found found = word_at(all, begin);
      const AlignedText::Range from = {begin, begin + found.length};
      begin = from.end;
      std::string_view word = found.word;
      while (blank && word.starts_with(' ')) word.remove_prefix(1);
      if (word.empty()) continue;
      text.budget().check(written += word.size(), where_);
      for (const char c : word) out.append(c == ' ' ? mark_ : std::string_view(&c, 1), from);
      blank = joins_ && word.ends_with(' ');
    }
    while (joins_ && out.text.ends_with(mark_)) out.text.resize(out.text.size() - mark_.size());
    out.from.resize(out.text.size());
    if (!all.empty()) text.become(std::move(out.text), out.from);
  }

 private:
  struct Writer {
    std::string text;
    std::vector<AlignedText::Range> from;
    void append(std::string_view word, AlignedText::Range range) {
      text += word;
      from.insert(from.end(), word.size(), range);
    }
  };

  CharsMap::Found word_at(std::string_view text, size_t begin) const {
    if (rules_) {
      const CharsMap::Found found = rules_->longest(text.substr(begin));
      if (found.length > 0) return found;
    }
    const Character character = character_at(text, begin);
    if (character.code == Character::kNoCode) return {1, kReplacement};
    return {character.length, text.substr(begin, character.length)};
  }

  std::string where_;
  std::optional<CharsMap> rules_;
  bool first_, joins_;
  std::string_view mark_;
};

}  // namespace

std::unique_ptr<Normalizer> sentencepiece_normalizer(const SentencePieceModel& model,
                                                     const std::string& where) {
  return std::make_unique<SentencePieceNormalizer>(model, where);
}

}  // namespace locus
