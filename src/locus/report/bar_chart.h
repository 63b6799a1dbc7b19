// A chart of lying bars, one below the other, each with its name above it and its value behind it.
#pragma once

#include <string>
#include <vector>

#include "locus/report/svg.h"

namespace locus::report {

struct Bar {
  std::string name;
  double value = 0;  // 0 or more
  std::string label;
};

struct BarChart {
  std::string title;  // none when empty
  std::vector<Bar> bars;
};

Drawing draw(const BarChart& chart, double width);

}  // namespace locus::report
