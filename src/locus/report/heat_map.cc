#include "locus/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "locus/base/error.h"
#include "locus/report/frame.h"
#include "locus/report/palette.h"

namespace locus::report {
namespace {

constexpr double kLeastCell = 2;  // wide and high on paper

struct Cells {
  size_t rows = 0, columns = 0;
  std::vector<double> values;
};

// At most `most` rows and columns.
Cells cells_of(const HeatMap& map, size_t most) {
  const size_t rows = map.y.size(), columns = map.x.size();
  require(map.values.size() == rows * columns, "heat map '{}': {} values for {} rows and {} columns",
          map.title, map.values.size(), rows, columns);
  const size_t tall = (rows + most - 1) / most, wide = (columns + most - 1) / most;
  Cells cells{(rows + tall - 1) / tall, (columns + wide - 1) / wide, {}};
  for (size_t r = 0; r < rows; r += tall) {
    for (size_t c = 0; c < columns; c += wide) {
      double sum = 0, count = 0;
      for (size_t i = r; i < std::min(r + tall, rows); ++i) {
        for (size_t j = c; j < std::min(c + wide, columns); ++j) {
          const double value = map.values[i * columns + j];
          if (!std::isfinite(value)) continue;
          sum += value;
          ++count;
        }
      }
      cells.values.push_back(sum / count);  // of nothing: NaN, and blank
    }
  }
  return cells;
}

// A path for every shade, a stroke for every run of it: much shorter than a rectangle for every cell. Strokes
// reach a little over their cell, else the paper shows between them.
std::string shaded(const Cells& cells, const HeatMap& map) {
  std::array<std::string, kShades> paths;
  for (size_t r = 0; r < cells.rows; ++r) {
    const double* row = &cells.values[r * cells.columns];
    for (size_t c = 0; c < cells.columns;) {
      if (!std::isfinite(row[c])) {
        ++c;
        continue;
      }
      const int colour = shade(row[c], map.low, map.high);
      const size_t start = c;
      while (c < cells.columns && std::isfinite(row[c]) && shade(row[c], map.low, map.high) == colour) ++c;
      fmt::format_to(std::back_inserter(paths[static_cast<size_t>(colour)]), "M{} {}.5h{}", start, r,
                     c - start);
    }
  }
  std::string body;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!paths[i].empty()) body += fmt::format(R"(<path class="h{}" d="{}"/>)", i, paths[i]);
  }
  return body;
}

}  // namespace

void share_colours(std::vector<HeatMap>& maps) {
  std::vector<double> all;
  for (const HeatMap& map : maps) all.insert(all.end(), map.values.begin(), map.values.end());
  const auto [low, high] = finite_range(all);
  for (HeatMap& map : maps) {
    map.low = low;
    map.high = high;
  }
}

Drawing draw(const HeatMap& map, double width) {
  require(!map.x.empty() && !map.y.empty(), "heat map '{}': nothing to draw", map.title);
  // Columns and rows are areas, so the axes reach half a step past the first and the last.
  const auto around = [](const std::vector<double>& values, int most) {
    const double half = values.size() > 1 ? (values[1] - values[0]) / 2 : 0.5;
    return axis_over(values.front() - half, values.back() + half, most);
  };
  const int most = std::max(2, static_cast<int>(width / 48));
  Frame frame{.top = map.title.empty() ? 8.0 : 22.0,  // half of the first tick's label stands above
              .x = around(map.x, most),
              .y = around(map.y, most),
              .downwards = true};
  frame.left = beside_frame(frame.y);
  frame.width = frame.height = width - frame.left - 8;
  require(frame.width >= 20, "heat map '{}': no room in a width of {}", map.title, width);
  const Cells cells = cells_of(map, static_cast<size_t>(frame.width / kLeastCell));
  Drawing drawing{.width = width,
                  .height = frame.top + frame.height + kBelowFrame,
                  .label = fmt::format("{}: {} and {}", map.title, map.y_label, map.x_label)};
  if (!map.title.empty()) drawing.body = text_at(frame.left, 14, map.title, {.kind = "words strong"});
  drawing.body += fmt::format(
      R"~(<g class="shade" stroke-width="1" shape-rendering="crispEdges" transform="translate({} {}) scale({:.5f} {:.5f})">{}</g>)~",
      number(frame.left), number(frame.top), frame.width / static_cast<double>(cells.columns),
      frame.height / static_cast<double>(cells.rows), shaded(cells, map));
  drawing.body += axes(frame, map.x_label, map.y_label, false);
  return drawing;
}

Drawing draw_colour_scale(double low, double high, const std::string& label, double width) {
  constexpr double kBeside = 20;  // half of a label under the first and the last tick
  Frame frame{.left = kBeside,
              .top = 20,
              .width = width - 2 * kBeside,
              .height = 12,
              .x = axis_over(low, high, std::max(2, static_cast<int>(width / 60)))};
  Drawing drawing{.width = width, .height = frame.top + frame.height + 24, .label = label};
  drawing.body = text_at(frame.left, 14, label);
  std::string strips;
  // One value has one colour, in the middle of the scale as in the map.
  const int only = high > low ? -1 : shade(low, low, high);
  for (int i = 0; i < kShades; ++i) {
    strips += fmt::format(R"(<path class="h{}" d="M{} .5h1"/>)", only < 0 ? i : only, i);
  }
  drawing.body += fmt::format(
      R"~(<g class="shade" stroke-width="1" shape-rendering="crispEdges" transform="translate({} {}) scale({:.5f} {})">{}</g>)~",
      number(frame.left), number(frame.top), frame.width / kShades, number(frame.height), strips);
  drawing.body += axes(frame, "", "", false);
  return drawing;
}

}  // namespace locus::report
