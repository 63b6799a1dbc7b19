#include "locus/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/report/frame.h"
#include "locus/report/palette.h"

namespace locus::report {
namespace {

constexpr double kLeastCell = 2;  // least width and height of a drawn cell

struct Cells {
  size_t rows = 0, columns = 0;
  std::vector<double> values;
};

// At most `most` rows and columns.
Cells cells_of(const HeatMap& map, size_t most) {
  const size_t rows = map.y.size(), columns = map.x.size();
  require(map.values.size() == rows * columns,
          "wrong size of heat map {}: got {} values, expected {} rows of {}", quote(map.title),
          map.values.size(), rows, columns);
  const size_t height = (rows + most - 1) / most, width = (columns + most - 1) / most;  // of a block
  Cells cells{(rows + height - 1) / height, (columns + width - 1) / width, {}};
  for (size_t r = 0; r < rows; r += height) {
    for (size_t c = 0; c < columns; c += width) {
      double sum = 0, count = 0;
      for (size_t i = r; i < std::min(r + height, rows); ++i) {
        for (size_t j = c; j < std::min(c + width, columns); ++j) {
          const double value = map.values[i * columns + j];
          if (!std::isfinite(value)) continue;
          sum += value;
          ++count;
        }
      }
      cells.values.push_back(sum / count);  // no finite value: NaN, drawn blank
    }
  }
  return cells;
}

// A path for every shade with a stroke for every run of cells: much smaller than a rectangle for every cell.
std::string shaded(const Cells& cells, const HeatMap& map) {
  std::array<std::string, kShades> paths;
  for (size_t r = 0; r < cells.rows; ++r) {
    const double* row = &cells.values[r * cells.columns];
    for (size_t c = 0; c < cells.columns;) {
      if (!std::isfinite(row[c])) {
        ++c;
        continue;
      }
      const int color = shade(row[c], map.low, map.high);
      const size_t start = c;
      while (c < cells.columns && std::isfinite(row[c]) && shade(row[c], map.low, map.high) == color) ++c;
      fmt::format_to(std::back_inserter(paths[static_cast<size_t>(color)]), "M{} {}.5h{}", start, r,
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

void share_colors(std::vector<HeatMap>& maps) {
  std::vector<double> all;
  for (const HeatMap& map : maps) all.insert(all.end(), map.values.begin(), map.values.end());
  const auto [low, high] = finite_range(all);
  for (HeatMap& map : maps) {
    map.low = low;
    map.high = high;
  }
}

Drawing draw(const HeatMap& map, double width) {
  require(!map.x.empty() && !map.y.empty(), "no rows or columns in heat map {}", quote(map.title));
  // Cells have an area, so the axes extend half a step past the first and the last.
  const auto around = [](const std::vector<double>& values, int most) {
    const double half = values.size() > 1 ? (values[1] - values[0]) / 2 : 0.5;
    return axis_over(values.front() - half, values.back() + half, most);
  };
  const int most = std::max(2, static_cast<int>(width / 48));
  Frame frame{.top = map.title.empty() ? 8.0 : 22.0,  // the first tick label extends above the frame
              .x = around(map.x, most),
              .y = around(map.y, most),
              .downwards = true};
  if (!map.words.empty()) {
    // The words take room from the frame: what fits beside them is known after they are shortened.
    name_ticks(frame.y, map.words, width);
    const double room = width - beside_frame(frame.y) - 8;
    name_ticks(frame.x, map.words, room);
    name_ticks(frame.y, map.words, room);
  }
  frame.left = beside_frame(frame.y);
  frame.width = frame.height = width - frame.left - 8;
  require(frame.width >= 20, "heat map {} too narrow: got a width of {}", quote(map.title), width);
  const Cells cells = cells_of(map, static_cast<size_t>(frame.width / kLeastCell));
  Drawing drawing{.width = width,
                  .height = frame.top + frame.height + below_frame(frame.x),
                  .label = fmt::format("{}: {} and {}", map.title, map.y_label, map.x_label)};
  if (!map.title.empty()) drawing.body = text_at(frame.left, 14, map.title, {.kind = "words strong"});
  drawing.body += fmt::format(
      R"~(<g class="shade" stroke-width="1" shape-rendering="crispEdges" transform="translate({} {}) scale({:.5f} {:.5f})">{}</g>)~",
      number(frame.left), number(frame.top), frame.width / static_cast<double>(cells.columns),
      frame.height / static_cast<double>(cells.rows), shaded(cells, map));
  drawing.body += axes(frame, map.x_label, map.y_label, false);
  return drawing;
}

Drawing draw_color_scale(double low, double high, const std::string& label, double width) {
  constexpr double kBeside = 20;  // room for half a tick label at both ends
  Frame frame{.left = kBeside,
              .top = 20,
              .width = width - 2 * kBeside,
              .height = 12,
              .x = axis_over(low, high, std::max(2, static_cast<int>(width / 60)))};
  Drawing drawing{.width = width, .height = frame.top + frame.height + 24, .label = label};
  drawing.body = text_at(frame.left, 14, label);
  std::string strips;
  // A single value has the middle color, as in the map.
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
