// A figure: charts, bars or heat maps with a common title and a caption that explains how to read them. It
// can become part of a page, part of a larger drawing, or JSON.
#pragma once

#include <string>
#include <vector>

#include "locus/report/bar_chart.h"
#include "locus/report/heat_map.h"
#include "locus/report/line_chart.h"
#include "locus/report/scatter_chart.h"

namespace locus::report {

struct Figure {
  std::string name;  // the key of its numbers in JSON
  std::string title, caption;
  std::vector<LineChart> charts;
  std::vector<BarChart> bars;
  std::vector<HeatMap> maps;  // with the same color scale
  std::string colors;         // what the colors of the maps mean
  std::vector<ScatterChart> scatters = {};
  bool wide = false;    // its one chart has the full width of a page
  bool paired = false;  // its charts are in two columns, of half the width each
};

// The single panels, for a page that lays them out; several panels are small. A wide chart is drawn twice:
// for a desktop, then for a phone.
std::vector<Drawing> panels(const Figure& figure);
// Title, panels and caption as one drawing.
Drawing draw(const Figure& figure, double width);
std::string as_json(const Figure& figure);

}  // namespace locus::report
