#include "locus/report/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "locus/report/svg.h"

namespace locus::report {
namespace {

constexpr double kTickSize = kTextSize - 1.5, kTick = 4;

std::string line(double x, double y, std::string_view steps, std::string_view kind) {
  return fmt::format(R"(<path class="{}" d="M{} {}{}"/>)", kind, number(x), number(y), steps);
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

double beside_frame(const Axis& y) {
  double widest = 0;
  for (const Tick& tick : y.ticks) widest = std::max(widest, text_width(tick.label, kTickSize));
  return kTextSize + 8 + widest + kTick + 3;
}

std::string axes(const Frame& frame, std::string_view x_label, std::string_view y_label, bool grid) {
  const double bottom = frame.top + frame.height;
  std::string body = y_ticks(frame, grid) + x_ticks(frame);
  body += line(frame.left, bottom, fmt::format("h{}", number(frame.width)), "axis");
  if (!grid) body += line(frame.left, frame.top, fmt::format("v{}", number(frame.height)), "axis");
  body += text_at(frame.left + frame.width / 2, bottom + kBelowFrame - 6, x_label,
                  {.anchor = TextStyle::Anchor::middle});
  // The ascent of some fonts is larger than the size of the text.
  body += text_at(kTextSize + 2, frame.top + frame.height / 2, y_label,
                  {.anchor = TextStyle::Anchor::middle, .upwards = true});
  return body + '\n';
}

}  // namespace locus::report
