// A figure: charts, bars or heat maps that belong together, with a title and a sentence on how to read them.
// The same one becomes part of a page, part of a larger drawing, or numbers.
#pragma once

#include <string>
#include <vector>

#include "locus/report/bar_chart.h"
#include "locus/report/heat_map.h"
#include "locus/report/line_chart.h"

namespace locus::report {

struct Figure {
  std::string name;  // as the key of its numbers
  std::string title, caption;
  std::vector<LineChart> charts;
  std::vector<BarChart> bars;
  std::vector<HeatMap> maps;  // with the same colours
  std::string colours;        // what the colours of the maps mean
  bool wide = false;          // its one chart takes all of a page's width
};

// Each panel by itself, for a page that lays them out; those of several are small. A wide chart comes twice:
// for a desk, then for a telephone.
std::vector<Drawing> panels(const Figure& figure);
// Title, panels and caption as one drawing.
Drawing draw(const Figure& figure, double width);
std::string as_json(const Figure& figure);

}  // namespace locus::report
