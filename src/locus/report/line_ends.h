// Names at the ends of a chart's lines, in a column beside the frame. They do not overlap; a piece of its
// line connects each name with the end of the line.
#pragma once

#include <string>
#include <vector>

namespace locus::report {

// The positions nearest to `wanted` that are at least `gap` apart, between `top` and `bottom`, and in the
// same order. The gap shrinks if there is not enough room.
std::vector<double> spaced(const std::vector<double>& wanted, double gap, double top, double bottom);

struct LineEnd {
  std::string name, line_class;
  double y = 0;         // of the line's last point
  double order = 0;     // the larger one comes first if two lines end at the same y
  bool reaches = true;  // the line ends at the edge of the frame; else its piece is not connected
};

inline constexpr double kBeforeName = 31;  // from the frame to the names

// The elements of each name, to the right of `x`.
std::vector<std::string> named_ends(const std::vector<LineEnd>& ends, double x, double top, double bottom);

}  // namespace locus::report
