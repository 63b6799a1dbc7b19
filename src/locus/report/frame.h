// The frame of a chart: maps values to coordinates and draws the axes.
#pragma once

#include <string>
#include <string_view>

#include "locus/report/axis.h"

namespace locus::report {

struct Frame {
  double left = 0, top = 0, width = 0, height = 0;
  Axis x, y;
  bool downwards = false;  // y grows downwards, like the rows of a matrix

  double x_of(double value) const { return left + x.at(value) * width; }
  double y_of(double value) const { return top + (downwards ? y.at(value) : 1 - y.at(value)) * height; }
};

// Room for the ticks and the label of an axis.
inline constexpr double kBelowFrame = 42;
double below_frame(const Axis& x);
double beside_frame(const Axis& y);

// Axis lines, ticks and labels at the left and at the bottom; optional grid lines.
std::string axes(const Frame& frame, std::string_view x_label, std::string_view y_label, bool grid);

}  // namespace locus::report
