#include "locus/report/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace locus::report {
namespace {

constexpr const char* kDashes[] = {"none", "7 4", "2 3", "10 3 2 3"};

// Nine points of viridis (van der Walt and Smith 2015); between them, straight lines.
constexpr std::array<std::array<int, 3>, 9> kViridis = {{{68, 1, 84},
                                                         {71, 44, 122},
                                                         {59, 81, 139},
                                                         {44, 113, 142},
                                                         {33, 144, 141},
                                                         {39, 173, 129},
                                                         {92, 200, 99},
                                                         {170, 220, 50},
                                                         {253, 231, 37}}};

std::string theme_rules(const Theme& theme) {
  std::string css = fmt::format(
      ".paper{{fill:{0}}}.words{{fill:{1}}}.faint{{fill:{2}}}.rule{{stroke:{3}}}.axis{{stroke:{2}}}"
      ".muted{{stroke:{4}}}.value text,.halo{{stroke:{0}}}\n",
      theme.background, theme.text, theme.faint, theme.rule, theme.muted);
  for (size_t i = 0; i < theme.lines.size(); ++i) {
    fmt::format_to(std::back_inserter(css), ".c{0}{{stroke:{1}}}.f{0}{{fill:{1}}}", i, theme.lines[i]);
  }
  return css + '\n';
}

}  // namespace

std::string shade_color(int index) {
  const double at = static_cast<double>(index) * (kViridis.size() - 1) / (kShades - 1);
  const size_t below = std::min(static_cast<size_t>(at), kViridis.size() - 2);
  const double part = at - static_cast<double>(below);
  std::string color = "#";
  for (size_t channel = 0; channel < 3; ++channel) {
    const double value = kViridis[below][channel] * (1 - part) + kViridis[below + 1][channel] * part;
    fmt::format_to(std::back_inserter(color), "{:02x}", static_cast<int>(std::lround(value)));
  }
  return color;
}

std::string line_class(size_t series) {
  return fmt::format("line c{} d{}", series % kLight.lines.size(),
                     series / kLight.lines.size() % std::size(kDashes));
}

int shade(double value, double low, double high) {
  if (!(high > low)) return kShades / 2;
  return std::clamp(static_cast<int>((value - low) / (high - low) * kShades), 0, kShades - 1);
}

std::string drawing_style() {
  std::string css =
      "text{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}.strong{font-weight:600}\n"
      ".line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
      ".rule,.axis{fill:none;stroke-width:1}.shade{fill:none}.muted{stroke-width:1.25}"
      ".halo{paint-order:stroke;stroke-width:3;stroke-linejoin:round}\n"
      ".mark{stroke-width:6}.series:hover .line,.series:focus "
      ".line{stroke-width:4}.series:focus{outline:none}"
      ".series:hover .mark,.series:focus .mark{stroke-width:8}"
      ".series:hover .value,.series:focus .value{display:inline}"
      ".lines:hover .series:not(:hover):not(:focus),.lines:focus-within .series:not(:hover):not(:focus)"
      "{opacity:.25}.near{fill:none;stroke:#000;stroke-opacity:0;stroke-width:14}"
      ".value text{paint-order:stroke;stroke-width:4;stroke-linejoin:round}\n";
  for (size_t i = 1; i < std::size(kDashes); ++i) {
    fmt::format_to(std::back_inserter(css), ".d{}{{stroke-dasharray:{}}}", i, kDashes[i]);
  }
  css += '\n';
  for (int i = 0; i < kShades; ++i) {
    fmt::format_to(std::back_inserter(css), ".h{}{{stroke:{}}}", i, shade_color(i));
  }
  return fmt::format("{}\n{}@media (prefers-color-scheme:dark){{{}}}\n", css, theme_rules(kLight),
                     theme_rules(kDark));
}

}  // namespace locus::report
