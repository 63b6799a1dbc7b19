// A text that is being rewritten. Every byte knows its source, a range of the original text. All bytes of a
// character have the same source, which consists of whole characters of the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/text/encoding.h"
#include "locus/text/pipeline/budget.h"

namespace locus {

class AlignedText {
 public:
  // original[begin, end), unchanged. The original must outlive this object. `budget` is that of the text to
  // which this part belongs; if it is null, the part has its own.
  AlignedText(std::string_view original, size_t begin, size_t end, TextBudget* budget = nullptr)
      : original_(original), begin_(begin), end_(end), shared_(budget), own_(end - begin) {}

  std::string_view text() const {
    return changed_ ? std::string_view(text_) : original_.substr(begin_, end_ - begin_);
  }
  std::string_view original() const { return original_; }
  TextBudget& budget() const { return shared_ != nullptr ? *shared_ : own_; }
  AlignedText slice(size_t begin, size_t end) const;
  // The source of text()[begin, end).
  TextSpan source(size_t begin, size_t end) const;

  // One character of a new text, and its change:
  //   0   it replaces the next character of the old text
  //  -n   it replaces the next character, and the n characters after it are removed
  //   1   it is inserted, and has the source of the character before it
  struct Step {
    int32_t code;
    int32_t change;
  };
  // Replaces the whole text by the characters of `steps`. The first `removed` characters of the old text are
  // removed.
  void rewrite(std::span<const Step> steps, size_t removed = 0);
  // Replaces every range of the text by `word`. Ranges are in order and do not overlap. The new text has the
  // source of the last character of the range.
  struct Range {
    size_t begin, end;
  };
  void replace(std::span<const Range> ranges, std::string_view word);
  // Replaces the whole text. Every byte has a non-empty range of the old text as its source.
  void become(std::string text, std::span<const Range> from);
  // Prepends to a text that is not empty. The new text has the source of the first character.
  void prepend(std::string_view word);
  // Prepends to some of the words that the text is split into, and updates `words`.
  void prepend(std::string_view word, std::vector<Range>& words, const std::vector<bool>& wanted);

 private:
  void align();  // materializes text_ and sources_

  std::string_view original_;
  size_t begin_, end_;
  TextBudget* shared_;
  mutable TextBudget own_;  // used if shared_ is null
  bool changed_ = false;
  std::string text_;               // this and sources_ are used only if changed_
  std::vector<TextSpan> sources_;  // of each byte
};

}  // namespace locus
