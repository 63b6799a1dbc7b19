#include "locus/report/line_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace locus::report {
namespace {

constexpr size_t kMostMarks = 16;

struct Point {
  double x = 0, y = 0;  // on paper
};

// A line on paper: its path, and where it leaves the frame through the top.
struct Outline {
  std::string path;
  std::vector<Point> clipped;
};

Outline outline_of(const Series& series, const Frame& frame, std::optional<double> cap) {
  Outline outline;
  const auto go = [&](char step, const Point& to) {
    fmt::format_to(std::back_inserter(outline.path), "{}{} {}", step, number(to.x), number(to.y));
  };
  Point last;  // the last point, above the frame if it is clipped
  bool has_last = false, last_inside = false;
  for (size_t i = 0; i < series.x.size(); ++i) {
    const bool inside = !(cap && series.y[i] > *cap);
    const Point here{frame.x_of(series.x[i]), frame.y_of(series.y[i])};
    if (!std::isfinite(here.x) || std::isnan(here.y) || (inside && !std::isfinite(here.y))) {
      has_last = false;
      continue;
    }
    const double edge = cap ? frame.y_of(*cap) : frame.top;
    if (has_last && inside != last_inside) {
      // The crossing with the edge; a line to an infinite value leaves halfway.
      const bool finite = std::isfinite(here.y) && std::isfinite(last.y);
      const double part = finite ? (edge - last.y) / (here.y - last.y) : 0.5;
      const Point crossing{last.x + part * (here.x - last.x), edge};
      go(inside ? 'M' : 'L', crossing);
      if (!inside) outline.clipped.push_back(crossing);
    } else if (!has_last && !inside) {
      outline.clipped.push_back({here.x, edge});
    }
    if (inside) go(has_last ? 'L' : 'M', here);
    last = here;
    has_last = true;
    last_inside = inside;
  }
  return outline;
}

// The value beside a point, inside the frame and above the point if there is room. An attribute that every
// viewer knows hides it, and a rule shows it on hover and focus.
std::string value_at(double x, double y, const std::string& text, const Frame& frame) {
  const double half = text_width(text, kTextSize) / 2;
  const double middle =
      std::clamp(x, frame.left + half, std::max(frame.left + half, frame.left + frame.width - half));
  const double above = y - 8 > frame.top + kTextSize ? y - 8 : y + kTextSize + 8;
  return fmt::format(
      R"(<g class="value" display="none">{}</g>)",
      text_at(middle, above, text, {.anchor = TextStyle::Anchor::middle, .kind = "words strong"}));
}

}  // namespace

std::string drawn_line(const Series& series, const std::string& line, const Frame& frame,
                       std::optional<double> cap, const std::string& end) {
  const std::string name = escape(series.name);
  const Outline outline = outline_of(series, frame, cap);
  if (series.muted) return fmt::format(R"(<path class="{}" d="{}"/>)", line, outline.path) + end + "\n";
  const std::string color = line.substr(0, line.rfind(' '));  // without the dashes
  const bool marks = series.x.size() <= kMostMarks;
  std::string body = fmt::format("<g class=\"series\" tabindex=\"0\"><title>{}</title>", name), values;
  if (marks) body += fmt::format(R"(<path class="near" d="{}"/>)", outline.path);
  body += fmt::format(R"(<path class="{}" d="{}"/>)", line, outline.path);
  for (const Point& at : outline.clipped) {
    body +=
        fmt::format(R"(<path class="{}" d="M{} {}l5 -8l5 8"/>)", color, number(at.x - 5), number(at.y + 2));
  }
  for (size_t i = 0; marks && i < series.x.size(); ++i) {
    const double x = frame.x_of(series.x[i]), y = frame.y_of(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y) || (cap && series.y[i] > *cap)) continue;
    // A line of no length with round ends is a dot in the line's color.
    body +=
        fmt::format(R"(<path class="{} mark" d="M{} {}h0"><title>{}{}{:.4g}: {:.4g}</title></path>)", color,
                    number(x), number(y), name, name.empty() ? "" : ", ", series.x[i], series.y[i]);
    values += value_at(x, y, fmt::format("{:.4g}", series.y[i]), frame);
  }
  return body + end + values + "</g>\n";
}

}  // namespace locus::report
