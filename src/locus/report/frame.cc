#include "locus/report/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr double kTick = 4;

double widest_label(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) widest = std::max(widest, text_width(tick.label, kTickSize));
  return widest;
}

std::string line(double x, double y, std::string_view steps, std::string_view kind) {
  return fmt::format(R"(<path class="{}" d="M{} {}{}"/>)", kind, number(x), number(y), steps);
}

// Words end at their tick.
std::string upright_ticks(const Frame& frame) {
  const double bottom = frame.top + frame.height;
  std::string body;
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.x_of(tick.value);
    body += line(x, bottom, fmt::format("v{}", kTick), "axis");
    body += text_at(x + kTickSize * 0.35, bottom + kTick + 3, tick.label,
                    {.anchor = TextStyle::Anchor::end, .size = kTickSize, .kind = "faint", .upwards = true});
  }
  return body;
}

// Labels at the ends stay inside the drawing; labels that would overlap are left out.
std::string x_ticks(const Frame& frame) {
  const double bottom = frame.top + frame.height;
  double free_from = -1e9;
  std::string body;
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.x_of(tick.value), half = text_width(tick.label, kTickSize) / 2;
    body += line(x, bottom, fmt::format("v{}", kTick), "axis");
    const double center = std::min(x, frame.left + frame.width + 10 - half);
    if (center - half < free_from) continue;
    free_from = center + half + 4;
    body += text_at(center, bottom + kTick + kTickSize + 1, tick.label,
                    {.anchor = TextStyle::Anchor::middle, .size = kTickSize, .kind = "faint"});
  }
  return body;
}

std::string y_ticks(const Frame& frame, bool grid) {
  std::string body;
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.y_of(tick.value);
    body += grid ? line(frame.left, y, fmt::format("h{}", number(frame.width)), "rule")
                 : line(frame.left, y, fmt::format("h{}", -kTick), "axis");
    body += text_at(frame.left - kTick - 3, y + kTickSize * 0.35, tick.label,
                    {.anchor = TextStyle::Anchor::end, .size = kTickSize, .kind = "faint"});
  }
  return body;
}

}  // namespace

double beside_frame(const Axis& y) { return kTextSize + 8 + widest_label(y) + kTick + 3; }

double below_frame(const Axis& x) {
  return x.upright ? kBelowFrame - kTickSize + widest_label(x) : kBelowFrame;
}

std::string axes(const Frame& frame, std::string_view x_label, std::string_view y_label, bool grid) {
  const double bottom = frame.top + frame.height;
  std::string body = y_ticks(frame, grid) + (frame.x.upright ? upright_ticks : x_ticks)(frame);
  body += line(frame.left, bottom, fmt::format("h{}", number(frame.width)), "axis");
  if (!grid) body += line(frame.left, frame.top, fmt::format("v{}", number(frame.height)), "axis");
  body += text_at(frame.left + frame.width / 2, bottom + below_frame(frame.x) - 6, x_label,
                  {.anchor = TextStyle::Anchor::middle});
  // The ascent of some fonts is larger than the size of the text.
  body += text_at(kTextSize + 2, frame.top + frame.height / 2, y_label,
                  {.anchor = TextStyle::Anchor::middle, .upwards = true});
  return body + '\n';
}

}  // namespace locus::report
