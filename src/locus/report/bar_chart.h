// A horizontal bar chart. Every bar has its name above it and its value to the right of it.
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
  std::string title;  // none if empty
  std::vector<Bar> bars;
};

Drawing draw(const BarChart& chart, double width);

}  // namespace locus::report
