// Names at the ends of a chart's lines, in a column beside its frame: near to where each line ends, never on
// each other, and joined to it by a piece of the line itself.
#pragma once

#include <string>
#include <vector>

namespace locus::report {

// As near to `wanted` as places can be that are at least `gap` apart, in the same order, and between `top`
// and `bottom`; where there is no room for this they stand closer, all alike.
std::vector<double> kept_apart(const std::vector<double>& wanted, double gap, double top, double bottom);

struct LineEnd {
  std::string name, line_class;
  double y = 0;         // of the line's last point
  bool reaches = true;  // the edge of the frame; else the piece of line only says whose name it is
};

inline constexpr double kBeforeName = 31;  // from the frame to the names

// The elements of each, at the right of `x`.
std::vector<std::string> named_ends(const std::vector<LineEnd>& ends, double x, double top, double bottom);

}  // namespace locus::report
