// A chart of lines over a common pair of axes, with a legend above it or names at the ends of the lines.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "locus/report/axis.h"
#include "locus/report/svg.h"

namespace locus::report {

struct Series {
  std::string name;
  std::vector<double> x, y;  // as many of one as of the other
};

struct LineChart {
  std::string title;  // none when empty
  std::string x_label, y_label;
  std::vector<Series> series;
  bool log_x = false, log_y = false;
  bool named_ends = false;                             // where lines are many, and end apart: no legend
  std::vector<double> x_ticks;                         // where x has few values that matter; none: round ones
  std::optional<std::pair<double, std::string>> mark;  // a place on x, and what it is
  std::optional<std::pair<double, double>> y_range;    // of several charts side by side; else of the series
};

// Points that are not finite interrupt a line. Few points are marked, and say their values when pointed at.
Drawing draw(const LineChart& chart, double width, double height);

}  // namespace locus::report
