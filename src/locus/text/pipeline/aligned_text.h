// A text that is being rewritten, with the place in the original that each of its bytes comes from. All bytes
// of a character come from the same place, a whole number of characters of the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/text/encoding.h"

namespace locus {

class AlignedText {
 public:
  // original[begin, end), as it is; the original must stay where it is.
  AlignedText(std::string_view original, size_t begin, size_t end)
      : original_(original), begin_(begin), end_(end) {}

  std::string_view text() const {
    return changed_ ? std::string_view(text_) : original_.substr(begin_, end_ - begin_);
  }
  size_t original_size() const { return end_ - begin_; }
  AlignedText slice(size_t begin, size_t end) const;
  // Where text()[begin, end) comes from.
  TextSpan source(size_t begin, size_t end) const;

  // One character of a new text, and how it came about:
  //   0   it stands for the next character of the old text
  //  -n   it stands for the next one and swallows the n behind it
  //   1   it was put in, and comes from where the one before it does
  struct Step {
    int32_t code;
    int32_t change;
  };
  // A whole new text, all of which `steps` spell. The first `removed` characters of the old one are gone.
  void rewrite(std::span<const Step> steps, size_t removed = 0);
  // Puts `word` in place of every range of the text, which are in order and do not overlap. What is put in
  // comes from where the last character of the range does.
  struct Range {
    size_t begin, end;
  };
  void replace(std::span<const Range> ranges, std::string_view word);
  // A whole new text, of which every byte comes from a range of the old one, which is not empty.
  void become(std::string text, std::span<const Range> from);
  // In front of a text that is not empty; it comes from where the first character does.
  void prepend(std::string_view word);
  // The same in front of some of the words that `words` cut the text into; these follow the text.
  void prepend(std::string_view word, std::vector<Range>& words, const std::vector<bool>& wanted);

 private:
  void align();  // writes out where each byte comes from

  std::string_view original_;
  size_t begin_, end_;
  bool changed_ = false;
  std::string text_;               // from here on only of a changed text
  std::vector<TextSpan> sources_;  // of each byte
};

}  // namespace locus
