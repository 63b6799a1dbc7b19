// A scatter chart whose points have their names beside them. Names do not overlap other names or points; a
// name that has to move away gets a leader line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "locus/report/svg.h"

namespace locus::report {

struct ScatterPoint {
  std::string name;
  double x = 0, y = 0;
  size_t group = 0;     // an index into the groups: its color and shape
  bool strong = false;  // a bold name
};

struct ScatterChart {
  std::string title;  // none if empty
  std::string x_label, y_label;
  std::vector<std::string> groups;  // names in the legend, at most kShapes; empty: not in the legend
  std::vector<ScatterPoint> points;
  bool log_x = false, log_y = false;
  std::optional<double> y_cap;  // points above it are drawn at the top edge with an arrow and their value
  std::string better;           // a note in the corner of the best values, at the lower left
};

inline constexpr size_t kShapes = 6;
// A filled shape around a point in the color of its group: circle, triangle, square, diamond, hexagon, cross.
std::string shape_at(size_t group, double x, double y, double radius);

Drawing draw(const ScatterChart& chart, double width, double height);

}  // namespace locus::report
