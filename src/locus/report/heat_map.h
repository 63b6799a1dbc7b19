// A heat map: a matrix as areas of colour, its first row on top, and the scale its colours belong to.
#pragma once

#include <string>
#include <vector>

#include "locus/report/svg.h"

namespace locus::report {

struct HeatMap {
  std::string title;  // none when empty
  std::string x_label, y_label;
  std::vector<double> x, y;    // what each column and each row stands for, rising evenly
  std::vector<double> values;  // [rows, columns]; not finite: left blank
  double low = 0, high = 1;    // the ends of the colours; values past them have the colour of the end
};

// The smallest and the largest finite value of all, else 0 and 1, as the ends of their common colours.
void share_colours(std::vector<HeatMap>& maps);

// As wide as given; the height follows, the area of the cells being a square. Matrices too fine for it are
// drawn as means of blocks.
Drawing draw(const HeatMap& map, double width);
Drawing draw_colour_scale(double low, double high, const std::string& label, double width);

}  // namespace locus::report
