// An axis: a range of values, where each lies on it, and the values worth a tick.
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

  // 0 at the low end, 1 at the high end.
  double at(double value) const;
};

// Ticks at steps of 1, 2 or 5 times a power of ten, at most `most` of them. On a logarithmic axis that is not
// short: at all digits times a power of ten, at 1, 2 and 5 when these are too many, or at powers of ten. A
// range of one value, or none, is widened.
Axis axis_over(double low, double high, int most, bool log = false, double least_step = 0);
// As on a tick, with as many digits as `step` needs and a true minus sign.
std::string tick_label(double value, double step);

// The smallest and the largest finite number; 0 and 1 where there is none.
std::pair<double, double> finite_range(std::span<const double> values);

}  // namespace locus::report
