#include "locus/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/report/frame.h"
#include "locus/report/line_ends.h"
#include "locus/report/line_path.h"
#include "locus/report/palette.h"

namespace locus::report {
namespace {

constexpr double kRowHeight = 20, kSwatch = 22;
constexpr double kAboveFrame = 16;  // for the label of a mark

struct Legend {
  std::string body;
  double height = 0;
};

// The class of every line. Muted lines have no color; dashed ones share the color before them, each with its
// own dashes.
std::vector<std::string> classes_of(const LineChart& chart) {
  std::vector<std::string> classes;
  size_t colors = 0, variants = 0;
  for (const Series& series : chart.series) {
    if (series.muted) {
      classes.emplace_back("line muted");
    } else if (series.dashed && colors > 0) {
      classes.push_back(line_class(colors - 1 + ++variants * kLight.lines.size()));
    } else {
      variants = 0;
      classes.push_back(line_class(colors++));
    }
  }
  return classes;
}

// Names in rows that fit the width.
Legend legend_of(const LineChart& chart, double left, double top, double width) {
  if (chart.named_ends || (chart.series.size() == 1 && chart.series[0].name.empty())) return {};
  Legend legend{.height = kRowHeight};
  const std::vector<std::string> classes = classes_of(chart);
  double x = left;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const std::string& name = chart.series[i].name;
    if (name.empty()) continue;
    const double wide = kSwatch + text_width(name, kTextSize);
    if (x > left && x + wide > left + width) {
      x = left;
      legend.height += kRowHeight;
    }
    const double y = top + legend.height - kRowHeight / 2;
    legend.body += fmt::format(R"(<path class="{}" d="M{} {}h{}"/>)", classes[i], number(x), number(y),
                               number(kSwatch - 6));
    legend.body += text_at(x + kSwatch, y + kTextSize * 0.35, name);
    x += wide + 14;
  }
  return legend;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // A line along the edge of the frame would be half hidden by it.
  void widen(bool log) {
    constexpr double kPart = 0.04;
    if (log) {
      const double factor = std::pow(high / low, kPart);
      low /= factor;
      high *= factor;
    } else {
      const double margin = (high - low) * kPart;
      low -= margin;
      high += margin;
    }
  }
};

std::pair<Axis, Axis> axes_of(const LineChart& chart, double width, double height) {
  Range x, y;
  for (const Series& series : chart.series) {
    require(
        series.x.size() == series.y.size(),
        "sizes differ in the series {} of line chart {}: got {} x and {} y values, expected the same number",
        quote(series.name), quote(chart.title), series.x.size(), series.y.size());
    for (const double value : series.x) x.add(value, chart.log_x);
    for (const double value : series.y)
      y.add(chart.y_cap ? std::min(value, *chart.y_cap) : value, chart.log_y);
  }
  if (chart.y_range) y = {chart.y_range->first, chart.y_range->second};
  require(!x.empty() && !y.empty(), "no finite values in line chart {}", quote(chart.title));
  y.widen(chart.log_y);
  const auto most = [](double size, double each) { return std::max(2, static_cast<int>(size / each)); };
  // Steps and layers are whole numbers: no ticks between them.
  const bool counted = std::ranges::all_of(chart.series, [](const Series& series) {
    return std::ranges::all_of(series.x, [](double value) { return value == std::floor(value); });
  });
  Axis x_axis = axis_over(x.low, x.high, most(width, 52), chart.log_x, counted ? 1 : 0);
  if (!chart.x_ticks.empty()) {
    x_axis.ticks.clear();
    for (const double tick : chart.x_ticks) x_axis.ticks.push_back({tick, tick_label(tick, 1)});
  }
  if (!chart.x_words.empty()) name_ticks(x_axis, chart.x_words, width);
  return {x_axis, axis_over(y.low, y.high, most(height, 26), chart.log_y)};
}

// The index of the last point with a value.
std::optional<size_t> last_point(const Series& series, const Axis& y) {
  for (size_t i = series.y.size(); i > 0; --i) {
    if (!std::isnan(y.at(series.y[i - 1])) && series.y[i - 1] > -std::numeric_limits<double>::infinity())
      return i - 1;
  }
  return std::nullopt;
}

bool is_clipped(const LineChart& chart, const Series& series, size_t point) {
  return chart.y_cap && series.y[point] > *chart.y_cap;
}

// The name, with the last x of a line that ends early and the last value of a line that is clipped.
std::string end_name(const LineChart& chart, const Series& series, const Axis& x, const Axis& y) {
  const std::optional<size_t> last = last_point(series, y);
  const std::string name = shortened(series.name, kTextSize, kMostName);
  if (!last || name.empty()) return name;
  const std::string value =
      is_clipped(chart, series, *last) ? fmt::format(" \u2191{:.3g}", series.y[*last]) : "";
  if (series.x[*last] == x.high) return name + value;
  return fmt::format("{}{}, to {:.4g}", name, value, series.x[*last]);
}

double beside_names(const LineChart& chart, const Axis& x, const Axis& y) {
  double widest = chart.names_width;
  for (const Series& series : chart.series) {
    widest = std::max(widest, text_width(end_name(chart, series, x, y), kTextSize));
  }
  return kBeforeName + widest;
}

// The name of every line at its end; at the bottom if a line has no values.
std::vector<std::string> names_at_ends(const LineChart& chart, const std::vector<std::string>& classes,
                                       const Frame& frame) {
  const double bottom = frame.top + frame.height;
  std::vector<LineEnd> ends;
  std::vector<size_t> owners;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.name.empty()) continue;
    const std::optional<size_t> last = last_point(series, frame.y);
    const bool clipped = last && is_clipped(chart, series, *last);
    ends.push_back({.name = end_name(chart, series, frame.x, frame.y),
                    .line_class = classes[i],
                    .y = clipped ? frame.top
                         : last  ? frame.y_of(series.y[*last])
                                 : bottom,
                    .order = last ? series.y[*last] : 0,
                    .reaches = last && !clipped && series.x[*last] == frame.x.high});
    owners.push_back(i);
  }
  const std::vector<std::string> elements = named_ends(ends, frame.left + frame.width, frame.top, bottom);
  std::vector<std::string> names(chart.series.size());
  for (size_t i = 0; i < owners.size(); ++i) names[owners[i]] = elements[i];
  return names;
}

// A vertical line through the frame, with its label above the frame.
std::string marked(const std::pair<double, std::string>& mark, const Frame& frame) {
  const double x = frame.x_of(mark.first);
  const bool right = x < frame.left + frame.width / 2;
  return fmt::format(R"(<path class="axis" stroke-dasharray="4 3" d="M{} {}v{}"/>)", number(x),
                     number(frame.top - kAboveFrame), number(frame.height + kAboveFrame)) +
         text_at(x + (right ? 5 : -5), frame.top - 5, mark.second,
                 {.anchor = right ? TextStyle::Anchor::start : TextStyle::Anchor::end, .kind = "faint"});
}

}  // namespace

Drawing draw(const LineChart& chart, double width, double height) {
  constexpr double kMargin = 6;
  const double heading = chart.title.empty() ? 0 : kRowHeight + 2;
  const Legend legend = legend_of(chart, kMargin, heading, width - 2 * kMargin);
  const double top = heading + legend.height + 10 + (chart.mark ? kAboveFrame : 0),
               lowest = height - kBelowFrame;
  require(lowest - top >= 20, "line chart {} too small for {} names: got a height of {}", quote(chart.title),
          chart.series.size(), height);
  const auto [x_axis, y_axis] = axes_of(chart, width, lowest - top);
  const double left = beside_frame(y_axis), bottom = height - below_frame(x_axis);
  const Frame frame{
      .left = left,
      .top = top,
      .width = width - left - kMargin - 6 - (chart.named_ends ? beside_names(chart, x_axis, y_axis) : 0),
      .height = bottom - top,
      .x = x_axis,
      .y = y_axis};
  Drawing drawing{.width = width,
                  .height = height,
                  .label = fmt::format("{}{}{} over {}", chart.title, chart.title.empty() ? "" : ": ",
                                       chart.y_label, chart.x_label)};
  if (!chart.title.empty()) drawing.body = text_at(kMargin, 16, chart.title, {.kind = "words strong"});
  drawing.body += legend.body + axes(frame, chart.x_label, chart.y_label, true);
  if (chart.mark) drawing.body += marked(*chart.mark, frame);
  const std::vector<std::string> classes = classes_of(chart);
  std::vector<std::string> names(chart.series.size());
  if (chart.named_ends) names = names_at_ends(chart, classes, frame);
  for (size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].muted)
      drawing.body += drawn_line(chart.series[i], classes[i], frame, chart.y_cap, names[i]);
  }
  drawing.body += "<g class=\"lines\">";
  for (size_t i = 0; i < chart.series.size(); ++i) {
    if (!chart.series[i].muted)
      drawing.body += drawn_line(chart.series[i], classes[i], frame, chart.y_cap, names[i]);
  }
  drawing.body += "</g>\n";
  return drawing;
}

}  // namespace locus::report
