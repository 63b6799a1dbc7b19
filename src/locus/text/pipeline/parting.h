// A raw text in parts that become the same tokens one by one as together: the same part comes again and
// again, and then its tokens are remembered with all steps of the pipeline behind them.
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

// Where a step that rewrites a text may meet it in parts. Each allows all that stands before it.
enum class Apart {
  nowhere,
  at_blanks,     // before a blank that follows no blank, where no character reaches across
  before_ascii,  // before any ASCII character, likewise
  anywhere,
};

// How a step that cuts words cuts parts, and what must be allowed for that.
struct Parting {
  // Where the part ends that begins at `begin`. Nothing: a text stays whole.
  size_t (*end)(std::string_view text, size_t begin) = nullptr;
  Apart needs = Apart::anywhere;
};

// Blanks, and what follows them up to the next.
size_t blank_part_end(std::string_view text, size_t begin);
// A run of letters, digits and what is not ASCII, with one blank before it, or a mark of ASCII with what is
// not ASCII behind it, or blanks.
size_t punctuated_part_end(std::string_view text, size_t begin);

}  // namespace locus
