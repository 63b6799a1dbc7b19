#include "locus/report/scatter_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/report/frame.h"

namespace locus::report {
namespace {

constexpr double kRadius = 6, kLegendRow = 20;
constexpr double kRoom = 0.07, kRoomForNote = 0.16;  // share of the range beyond the outermost points

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

Box around(double x, double y) {
  return {x - kRadius - 1, y - kRadius - 1, x + kRadius + 1, y + kRadius + 1};
}

struct Label {
  Box box;
  bool moved = false;  // too far from its point to be read without a leader line
};

// The first free place around the point, on circles of growing radius. The right side comes first.
Label place_label(double x, double y, double width, const Frame& frame, const std::vector<Box>& taken) {
  constexpr std::array kTurns = {0.0, 1.0, 0.5, -0.5, 0.25, -0.25, 0.75, -0.75};  // of pi
  constexpr double kHeight = kTextSize + 2;
  for (double away = kRadius + 4; away < 160; away += 7) {
    for (const double turn : kTurns) {
      const double dx = std::cos(turn * std::numbers::pi), dy = std::sin(turn * std::numbers::pi);
      const double cx = x + dx * away + (dx > 0.3 ? width / 2 : dx < -0.3 ? -width / 2 : 0);
      const double cy = y - dy * (away + kHeight / 3);
      const Box box{cx - width / 2, cy - kHeight / 2, cx + width / 2, cy + kHeight / 2};
      const bool inside = box.left >= frame.left + 2 && box.right <= frame.left + frame.width + 4 &&
                          box.top >= frame.top - 8 && box.bottom <= frame.top + frame.height - 1;
      if (!inside || std::ranges::any_of(taken, [&](const Box& other) { return box.overlaps(other); }))
        continue;
      return {box, away > kRadius + 12};
    }
  }
  return {{x - width / 2, y - kHeight / 2, x + width / 2, y + kHeight / 2}, false};
}

// Rows that the legend needs at this width.
std::vector<std::vector<size_t>> legend_rows(const ScatterChart& chart, double width) {
  std::vector<std::vector<size_t>> rows(1);
  double x = 6;
  for (size_t i = 0; i < chart.groups.size(); ++i) {
    if (chart.groups[i].empty()) continue;
    const double size = 2 * kRadius + 6 + text_width(chart.groups[i], kTextSize);
    if (!rows.back().empty() && x + size > width) {
      rows.emplace_back();
      x = 6;
    }
    rows.back().push_back(i);
    x += size + 18;
  }
  return rows;
}

std::string legend_row(const ScatterChart& chart, const std::vector<size_t>& row, double y) {
  std::string body;
  double x = 6;
  for (const size_t i : row) {
    body += shape_at(i, x + kRadius, y, kRadius) +
            text_at(x + 2 * kRadius + 6, y + kTextSize * 0.35, chart.groups[i]);
    x += 2 * kRadius + 24 + text_width(chart.groups[i], kTextSize);
  }
  return body;
}

// A range with room for the shapes at its ends.
Axis axis_of(const std::vector<double>& values, bool log, double size, double each,
             double room_below = kRoom) {
  auto [low, high] = finite_range(values);
  if (log) {
    const double range = std::max(high / low, 1.1);
    low /= std::pow(range, room_below);
    high *= std::pow(range, kRoom);
  } else {
    const double range = std::max(high - low, 1e-9);
    low -= range * room_below;
    high += range * kRoom;
  }
  return axis_over(low, high, std::max(2, static_cast<int>(size / each)), log);
}

}  // namespace

std::string shape_at(size_t group, double x, double y, double radius) {
  constexpr std::array<int, kShapes> kCorners = {0, 3, 4, 4, 6, 0};
  constexpr std::array<double, kShapes> kTurn = {0, 0.5, 0.25, 0.5, 0, 0};  // of pi, of the first corner
  const size_t shape = group % kShapes;
  if (shape + 1 == kShapes) {
    return fmt::format(R"(<path class="axis" stroke-width="2" d="M{} {}l{} {}m0 {}l{} {}"/>)",
                       number(x - radius * 0.7), number(y - radius * 0.7), number(radius * 1.4),
                       number(radius * 1.4), number(-radius * 1.4), number(-radius * 1.4),
                       number(radius * 1.4));
  }
  if (kCorners[shape] == 0) {
    return fmt::format(R"(<circle class="f{}" cx="{}" cy="{}" r="{}"/>)", shape, number(x), number(y),
                       number(radius * 0.9));
  }
  std::string path;
  for (int i = 0; i < kCorners[shape]; ++i) {
    const double angle = std::numbers::pi * (kTurn[shape] + 2.0 * i / kCorners[shape]);
    path += fmt::format("{}{} {}", i == 0 ? 'M' : 'L', number(x + 1.1 * radius * std::cos(angle)),
                        number(y - 1.1 * radius * std::sin(angle)));
  }
  return fmt::format(R"(<path class="f{}" d="{}z"/>)", shape, path);
}

Drawing draw(const ScatterChart& chart, double width, double height) {
  require(!chart.points.empty(), "no points in scatter chart {}", quote(chart.title));
  require(chart.groups.size() <= kShapes, "too many groups in scatter chart {}: got {}, expected at most {}",
          quote(chart.title), chart.groups.size(), kShapes);
  std::vector<double> xs, ys;
  for (const ScatterPoint& point : chart.points) {
    xs.push_back(point.x);
    ys.push_back(chart.y_cap ? std::min(point.y, *chart.y_cap) : point.y);
  }
  const double heading = chart.title.empty() ? 0 : 22;
  const std::vector<std::vector<size_t>> rows = legend_rows(chart, width);
  const double top = heading + kLegendRow * static_cast<double>(rows.size()) + 10,
               bottom = height - kBelowFrame;
  require(bottom - top >= 40, "scatter chart {} too small: got a height of {}", quote(chart.title), height);
  Frame frame{.top = top,
              .height = bottom - top,
              .y = axis_of(ys, chart.log_y, bottom - top, 36, chart.better.empty() ? kRoom : kRoomForNote)};
  frame.left = beside_frame(frame.y);
  frame.width = width - frame.left - 14;
  frame.x = axis_of(xs, chart.log_x, frame.width, 70);
  Drawing drawing{.width = width,
                  .height = height,
                  .label = fmt::format("{}{}{} against {}", chart.title, chart.title.empty() ? "" : ": ",
                                       chart.y_label, chart.x_label)};
  if (!chart.title.empty()) drawing.body = text_at(6, 16, chart.title, {.kind = "words strong"});
  for (size_t i = 0; i < rows.size(); ++i) {
    drawing.body += legend_row(chart, rows[i], heading + kLegendRow * (static_cast<double>(i) + 0.5));
  }
  drawing.body += axes(frame, chart.x_label, chart.y_label, true);
  std::vector<Box> taken;
  if (!chart.better.empty()) {
    const double y = bottom - 7;
    drawing.body += text_at(frame.left + 6, y, chart.better, {.kind = "faint"});
    taken.push_back(
        {frame.left, y - kTextSize, frame.left + 10 + text_width(chart.better, kTextSize), y + 4});
  }
  for (size_t i = 0; i < chart.points.size(); ++i)
    taken.push_back(around(frame.x_of(xs[i]), frame.y_of(ys[i])));
  for (size_t i = 0; i < chart.points.size(); ++i) {
    const ScatterPoint& point = chart.points[i];
    const double x = frame.x_of(xs[i]), y = frame.y_of(ys[i]);
    const bool clipped = ys[i] < point.y;
    std::string name = shortened(point.name, kTextSize, kMostName);
    if (clipped) name += fmt::format(" \u2191{:.3g}", point.y);
    // Bold letters are wider, and so is the mark beside them.
    const double size =
        point.strong ? text_width(name, kTextSize) * 1.15 + kRadius * 0.6 : text_width(name, kTextSize);
    const Label label = place_label(x, y, size, frame, taken);
    taken.push_back(label.box);
    const double middle = (label.box.left + label.box.right) / 2;
    std::string body;
    if (label.moved) {
      const double to_x = std::clamp(x, label.box.left, label.box.right);
      const double to_y = std::clamp(y, label.box.top, label.box.bottom);
      body += fmt::format(R"(<path class="axis" d="M{} {}L{} {}"/>)", number(x), number(y), number(to_x),
                          number(to_y));
    }
    body += shape_at(point.group, x, y, point.strong ? kRadius * 1.3 : kRadius);
    body += text_at(
        middle, label.box.bottom - 4, name,
        {.anchor = TextStyle::Anchor::middle, .kind = point.strong ? "words strong halo" : "words halo"});
    drawing.body +=
        fmt::format("<g class=\"point\"><title>{}: {} {:.4g}, {} {:.4g}</title>{}</g>\n", escape(point.name),
                    escape(chart.x_label), point.x, escape(chart.y_label), point.y, body);
  }
  return drawing;
}

}  // namespace locus::report
