// An axis: a range of values, their relative positions, and its ticks.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace locus::report {

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  double low = 0, high = 1;
  bool log = false;
  std::vector<Tick> ticks;
  bool upright = false;  // the labels of a horizontal axis are words, written upwards

  // 0 at the low end, 1 at the high end.
  double at(double value) const;
};

// At most `most` ticks, at steps of 1, 2 or 5 times a power of ten. A logarithmic axis over a large range has
// ticks at all digits times a power of ten; if these are too many, at 1, 2 and 5; else at powers of ten. A
// range of a single value is widened.
Axis axis_over(double low, double high, int most, bool log = false, double least_step = 0);
// Words instead of numbers: word i is at i. If `room`, the length of the axis, is too short for all of them,
// every second one is shown, or every third one, and so on. Long words are shortened.
void name_ticks(Axis& axis, const std::vector<std::string>& words, double room);
// The label of a tick, with the digits that `step` needs and a true minus sign.
std::string tick_label(double value, double step);

// The smallest and the largest finite number; 0 and 1 if there is none.
std::pair<double, double> finite_range(std::span<const double> values);

}  // namespace locus::report
