// A line chart with a legend above it or names at the ends of the lines.
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
  std::vector<double> x, y;  // of the same size
  bool muted = false;        // a thin gray line for comparison, without marks; its name is optional
  bool dashed = false;       // the color of the series before it, dashed: a variant of that one
};

struct LineChart {
  std::string title;  // none when empty
  std::string x_label, y_label;
  std::vector<Series> series;
  bool log_x = false, log_y = false;
  bool named_ends = false;                             // names at the ends of the lines instead of a legend
  double names_width = 0;                              // least room for names, to align several charts
  std::vector<double> x_ticks;                         // empty: round numbers
  std::vector<std::string> x_words = {};               // if x counts tokens: the tokens
  std::optional<std::pair<double, std::string>> mark;  // a vertical line at this x, and its label
  std::optional<std::pair<double, double>> y_range;    // absent: the range of the series
  // Lines are clipped above this value. An arrow marks the place, and the name gives the last value.
  std::optional<double> y_cap;
};

// Points that are not finite interrupt a line. A line of few points has marks, which show their values on
// hover and on focus.
Drawing draw(const LineChart& chart, double width, double height);

}  // namespace locus::report
