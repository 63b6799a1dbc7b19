// A heat map of a matrix, its first row on top, and its color scale.
#pragma once

#include <string>
#include <vector>

#include "locus/report/svg.h"

namespace locus::report {

struct HeatMap {
  std::string title;  // none when empty
  std::string x_label, y_label;
  std::vector<double> x, y;             // the value of each column and row, evenly spaced
  std::vector<std::string> words = {};  // if x and y count tokens: the tokens, instead of numbers at the axes
  std::vector<double> values;           // [rows, columns]; not finite: blank
  double low = 0, high = 1;             // the range of the colors; values outside are clamped
};

// Gives all maps one color range, from the smallest to the largest finite value.
void share_colors(std::vector<HeatMap>& maps);

// The area of the cells is a square, so the height follows from the width. Large matrices are drawn as means
// of blocks.
Drawing draw(const HeatMap& map, double width);
Drawing draw_color_scale(double low, double high, const std::string& label, double width);

}  // namespace locus::report
