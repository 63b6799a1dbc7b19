#include "locus/report/figure.h"

#include <algorithm>
#include <cmath>

#include "locus/base/json.h"
#include "locus/report/arrange.h"

namespace locus::report {
namespace {

// Sizes at which the text of a panel is readable on a phone, whose page is about 360 wide.
constexpr double kWide = 480, kHeight = 330, kSmallWide = 236, kSmallHeight = 210;
constexpr double kPairWide = 500, kPairHeight = 300;
constexpr double kDesktop = 960, kPhone = 400, kPerLine = 18, kAroundLines = 100, kScatterHeight = 400;
constexpr double kMap = 340, kSmallMap = 204, kMapOfWords = 320, kGap = 12;

std::vector<Drawing> panels_of(const Figure& figure, double wide, double small_chart, double small_map) {
  std::vector<Drawing> drawings;
  const bool several = figure.charts.size() > 1;
  for (const LineChart& chart : figure.charts) {
    drawings.push_back(figure.paired ? draw(chart, kPairWide, kPairHeight)
                       : several     ? draw(chart, small_chart, kSmallHeight)
                                     : draw(chart, wide, kHeight));
  }
  for (const BarChart& chart : figure.bars) drawings.push_back(draw(chart, wide));
  for (const ScatterChart& chart : figure.scatters) drawings.push_back(draw(chart, wide, kScatterHeight));
  for (const HeatMap& map : figure.maps) {
    const double least = map.words.empty() ? small_map : std::max(small_map, kMapOfWords);
    drawings.push_back(draw(map, figure.maps.size() > 1 ? least : kMap));
  }
  if (!figure.maps.empty()) {
    const HeatMap& map = figure.maps.front();
    drawings.push_back(draw_color_scale(map.low, map.high, figure.colors, kMap));
  }
  return drawings;
}

// The width of panels that fill a row, with as many panels as fit at the least width.
double shared_width(double least, double width) {
  const double count = std::max(1.0, std::floor((width + kGap) / (least + kGap)));
  return (width + kGap) / count - kGap - 0.01;
}

std::string as_json(const LineChart& chart) {
  std::vector<std::string> series;
  for (const Series& one : chart.series) {
    series.push_back(json::object(
        {{"name", json::text(one.name)}, {"x", json::numbers(one.x)}, {"y", json::numbers(one.y)}}));
  }
  return json::object({{"title", json::text(chart.title)},
                       {"x", json::text(chart.x_label)},
                       {"y", json::text(chart.y_label)},
                       {"series", json::list(series)}});
}

std::string as_json(const ScatterChart& chart) {
  std::vector<std::string> points;
  for (const ScatterPoint& point : chart.points) {
    points.push_back(json::object(
        {{"name", json::text(point.name)}, {"x", json::number(point.x)}, {"y", json::number(point.y)}}));
  }
  return json::object(
      {{"x", json::text(chart.x_label)}, {"y", json::text(chart.y_label)}, {"points", json::list(points)}});
}

std::string as_json(const BarChart& chart) {
  std::vector<std::string> bars;
  for (const Bar& bar : chart.bars) {
    bars.push_back(json::object({{"name", json::text(bar.name)}, {"value", json::number(bar.value)}}));
  }
  return json::object({{"title", json::text(chart.title)}, {"bars", json::list(bars)}});
}

std::string as_json(const HeatMap& map) {
  std::vector<std::string> rows;
  for (size_t r = 0; r < map.y.size(); ++r) {
    rows.push_back(json::numbers(std::span(map.values).subspan(r * map.x.size(), map.x.size())));
  }
  return json::object({{"title", json::text(map.title)},
                       {"rows", json::numbers(map.y)},
                       {"columns", json::numbers(map.x)},
                       {"values", json::list(rows)}});
}

}  // namespace

std::vector<Drawing> panels(const Figure& figure) {
  if (!figure.wide) return panels_of(figure, kWide, kSmallWide, kSmallMap);
  if (!figure.scatters.empty()) {
    const ScatterChart& chart = figure.scatters.front();
    return {draw(chart, kDesktop, kScatterHeight), draw(chart, kPhone, kScatterHeight + 60)};
  }
  const LineChart& chart = figure.charts.front();
  const double names = kAroundLines + kPerLine * static_cast<double>(chart.series.size());
  const double height = std::max(kHeight, names);
  return {draw(chart, kDesktop, height), draw(chart, kPhone, height)};
}

Drawing draw(const Figure& figure, double width) {
  std::vector<Drawing> parts =
      panels_of(figure, width, shared_width(kSmallWide, width), shared_width(kSmallMap, width));
  std::vector<Drawing> rows = {paragraph(figure.title, width, {.size = 17, .kind = "words strong"})};
  if (figure.maps.empty()) {
    rows.push_back(side_by_side(parts, width, kGap));
  } else {
    rows.push_back(side_by_side(std::span(parts).first(parts.size() - 1), width, kGap));
    rows.push_back(parts.back());
  }
  rows.push_back(paragraph(figure.caption, width, {.kind = "faint"}));
  return below_each_other(rows, 8);
}

std::string as_json(const Figure& figure) {
  std::vector<std::string> charts, bars, maps, scatters;
  for (const LineChart& chart : figure.charts) charts.push_back(as_json(chart));
  for (const BarChart& chart : figure.bars) bars.push_back(as_json(chart));
  for (const HeatMap& map : figure.maps) maps.push_back(as_json(map));
  for (const ScatterChart& chart : figure.scatters) scatters.push_back(as_json(chart));
  json::Members members = {{"title", json::text(figure.title)},
                           {"caption", json::text(figure.caption)},
                           {"charts", json::list(charts)},
                           {"bars", json::list(bars)},
                           {"maps", json::list(maps)}};
  if (!scatters.empty()) members.emplace_back("scatters", json::list(scatters));
  return json::object(members);
}

}  // namespace locus::report
