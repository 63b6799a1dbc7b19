#include "locus/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "locus/base/error.h"
#include "locus/report/frame.h"
#include "locus/report/palette.h"

namespace locus::report {
namespace {

constexpr double kRowHeight = 20, kSwatch = 22;
constexpr double kAboveFrame = 16;  // for the name of a mark
constexpr size_t kMostMarks = 16;

struct Legend {
  std::string body;
  double height = 0;
};

// Names one after the other, in as many rows as they need.
Legend legend_of(const LineChart& chart, double left, double top, double width) {
  if (chart.series.size() == 1 && chart.series[0].name.empty()) return {};
  Legend legend{.height = kRowHeight};
  double x = left;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const std::string& name = chart.series[i].name;
    const double wide = kSwatch + text_width(name, kTextSize);
    if (x > left && x + wide > left + width) {
      x = left;
      legend.height += kRowHeight;
    }
    const double y = top + legend.height - kRowHeight / 2;
    legend.body += fmt::format(R"(<path class="{}" d="M{} {}h{}"/>)", line_class(i), number(x), number(y),
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
  // A line along the edge of the frame would be half hidden.
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
    require(series.x.size() == series.y.size(), "line chart: series {} has {} x and {} y values", series.name,
            series.x.size(), series.y.size());
    for (const double value : series.x) x.add(value, chart.log_x);
    for (const double value : series.y) y.add(value, chart.log_y);
  }
  if (chart.y_range) y = {chart.y_range->first, chart.y_range->second};
  require(!x.empty() && !y.empty(), "line chart '{}': no values to draw", chart.title);
  y.widen(chart.log_y);
  const auto most = [](double size, double each) { return std::max(2, static_cast<int>(size / each)); };
  Axis across = axis_over(x.low, x.high, most(width, 52), chart.log_x);
  if (!chart.x_ticks.empty()) {
    across.ticks.clear();
    for (const double tick : chart.x_ticks) across.ticks.push_back({tick, tick_label(tick, 1)});
  }
  return {across, axis_over(y.low, y.high, most(height, 26), chart.log_y)};
}

std::string path_of(const Series& series, const Frame& frame) {
  std::string path;
  bool pen_down = false;
  for (size_t i = 0; i < series.x.size(); ++i) {
    const double x = frame.x_of(series.x[i]), y = frame.y_of(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    fmt::format_to(std::back_inserter(path), "{}{} {}", pen_down ? 'L' : 'M', number(x), number(y));
    pen_down = true;
  }
  return path;
}

// What is written beside a point when its line is pointed at or has the focus: within the frame, above the
// point where there is room. Hidden by an attribute, which every viewer of drawings knows, and shown by a
// rule.
std::string value_at(double x, double y, const std::string& text, const Frame& frame) {
  const double half = text_width(text, kTextSize) / 2;
  const double middle =
      std::clamp(x, frame.left + half, std::max(frame.left + half, frame.left + frame.width - half));
  const double above = y - 8 > frame.top + kTextSize ? y - 8 : y + kTextSize + 8;
  return fmt::format(
      R"(<g class="value" display="none">{}</g>)",
      text_at(middle, above, text, {.anchor = TextStyle::Anchor::middle, .kind = "words strong"}));
}

std::string drawn(const Series& series, size_t index, const Frame& frame) {
  const std::string name = escape(series.name);
  std::string body = fmt::format("<g class=\"series\" tabindex=\"0\"><title>{}</title>", name), values;
  body += fmt::format(R"(<path class="{}" d="{}"/>)", line_class(index), path_of(series, frame));
  for (size_t i = 0; series.x.size() <= kMostMarks && i < series.x.size(); ++i) {
    const double x = frame.x_of(series.x[i]), y = frame.y_of(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    // A line of no length with round ends is a dot in the line's colour.
    body +=
        fmt::format(R"(<path class="line mark c{}" d="M{} {}h0"><title>{}{}{:.4g}: {:.4g}</title></path>)",
                    index % kLight.lines.size(), number(x), number(y), name, name.empty() ? "" : ", ",
                    series.x[i], series.y[i]);
    values += value_at(x, y, fmt::format("{:.4g}", series.y[i]), frame);
  }
  return body + values + "</g>\n";
}

// A line through the frame, named above it, where no series runs.
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
               bottom = height - kBelowFrame;
  require(bottom - top >= 20, "line chart '{}': no room for {} names in a height of {}", chart.title,
          chart.series.size(), height);
  const auto [x_axis, y_axis] = axes_of(chart, width, bottom - top);
  const double left = beside_frame(y_axis);
  const Frame frame{.left = left,
                    .top = top,
                    .width = width - left - kMargin - 6,
                    .height = bottom - top,
                    .x = x_axis,
                    .y = y_axis};
  Drawing drawing{.width = width,
                  .height = height,
                  .label = fmt::format("{}: {} over {}", chart.title, chart.y_label, chart.x_label)};
  if (!chart.title.empty()) drawing.body = text_at(kMargin, 16, chart.title, {.kind = "words strong"});
  drawing.body += legend.body + axes(frame, chart.x_label, chart.y_label, true);
  if (chart.mark) drawing.body += marked(*chart.mark, frame);
  for (size_t i = 0; i < chart.series.size(); ++i) drawing.body += drawn(chart.series[i], i, frame);
  return drawing;
}

}  // namespace locus::report
