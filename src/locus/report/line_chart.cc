#include "locus/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "locus/base/error.h"
#include "locus/report/frame.h"
#include "locus/report/line_ends.h"
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
  if (chart.named_ends || (chart.series.size() == 1 && chart.series[0].name.empty())) return {};
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
  // Steps and layers are counted: there is nothing halfway between two.
  const bool counted = std::ranges::all_of(chart.series, [](const Series& series) {
    return std::ranges::all_of(series.x, [](double value) { return value == std::floor(value); });
  });
  Axis across = axis_over(x.low, x.high, most(width, 52), chart.log_x, counted ? 1 : 0);
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

// `end` is its name, where it stands at the line's end: a part of it, to be pointed at as well.
std::string drawn(const Series& series, size_t index, const Frame& frame, const std::string& end) {
  const std::string name = escape(series.name), path = path_of(series, frame);
  const bool marks = series.x.size() <= kMostMarks;
  std::string body = fmt::format("<g class=\"series\" tabindex=\"0\"><title>{}</title>", name), values;
  if (marks) body += fmt::format(R"(<path class="near" d="{}"/>)", path);
  body += fmt::format(R"(<path class="{}" d="{}"/>)", line_class(index), path);
  for (size_t i = 0; marks && i < series.x.size(); ++i) {
    const double x = frame.x_of(series.x[i]), y = frame.y_of(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    // A line of no length with round ends is a dot in the line's colour.
    body +=
        fmt::format(R"(<path class="line mark c{}" d="M{} {}h0"><title>{}{}{:.4g}: {:.4g}</title></path>)",
                    index % kLight.lines.size(), number(x), number(y), name, name.empty() ? "" : ", ",
                    series.x[i], series.y[i]);
    values += value_at(x, y, fmt::format("{:.4g}", series.y[i]), frame);
  }
  return body + end + values + "</g>\n";
}

// The last point of a line that is drawn; none when there is none.
std::optional<size_t> last_point(const Series& series, const Axis& y) {
  for (size_t i = series.y.size(); i > 0; --i) {
    if (std::isfinite(y.at(series.y[i - 1]))) return i - 1;
  }
  return std::nullopt;
}

// A line that ends before the others says where.
std::string end_name(const Series& series, const Axis& x, const Axis& y) {
  const std::optional<size_t> last = last_point(series, y);
  if (!last || series.x[*last] == x.high) return series.name;
  return fmt::format("{}, to {:.4g}", series.name, series.x[*last]);
}

double beside_names(const LineChart& chart, const Axis& x, const Axis& y) {
  double widest = 0;
  for (const Series& series : chart.series) {
    widest = std::max(widest, text_width(end_name(series, x, y), kTextSize));
  }
  return kBeforeName + widest;
}

// The name of every line, to stand at its end; below the others where a line has no values.
std::vector<std::string> names_at_ends(const LineChart& chart, const Frame& frame) {
  const double bottom = frame.top + frame.height;
  std::vector<LineEnd> ends;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    const std::optional<size_t> last = last_point(series, frame.y);
    ends.push_back({.name = end_name(series, frame.x, frame.y),
                    .line_class = line_class(i),
                    .y = last ? frame.y_of(series.y[*last]) : bottom,
                    .reaches = last && series.x[*last] == frame.x.high});
  }
  return named_ends(ends, frame.left + frame.width, frame.top, bottom);
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
  std::vector<std::string> names(chart.series.size());
  if (chart.named_ends) names = names_at_ends(chart, frame);
  drawing.body += "<g class=\"lines\">";
  for (size_t i = 0; i < chart.series.size(); ++i) drawing.body += drawn(chart.series[i], i, frame, names[i]);
  drawing.body += "</g>\n";
  return drawing;
}

}  // namespace locus::report
