// The colors of charts and pages, and the style sheet that names them. There is a light and a dark theme; the
// reader's system chooses. The eight line colors stay distinct with any color vision (after Okabe and Ito,
// the pale ones darkened for contrast); further lines repeat them dashed. Heat maps use viridis, whose
// brightness rises evenly, so it is readable on both themes and in gray.
//
// The rules contain plain colors and no variables: presentation programs support little CSS.
#pragma once

#include <array>
#include <string>

namespace locus::report {

struct Theme {
  const char* background;
  const char* text;
  const char* faint;  // secondary text
  const char* rule;   // grid lines and borders
  const char* muted;  // lines for comparison
  // Backgrounds of table cells and of the verdict.
  const char *good, *partial, *bad, *panel;
  std::array<const char*, 8> lines;
};

inline constexpr Theme kLight = {
    .background = "#ffffff",
    .text = "#1b1f24",
    .faint = "#57606a",
    .rule = "#d8dee4",
    .muted = "#c2c9d0",
    .good = "#d3f0e0",
    .partial = "#fdeec4",
    .bad = "#fbdcd8",
    .panel = "#f4f7f9",
    .lines = {"#0072b2", "#d55e00", "#008a64", "#b3558a", "#a87400", "#2f8fca", "#444b53", "#7b4fb5"}};
inline constexpr Theme kDark = {
    .background = "#14181d",
    .text = "#e8ebee",
    .faint = "#a3acb5",
    .rule = "#363d45",
    .muted = "#4a535c",
    .good = "#12402c",
    .partial = "#4a3a0f",
    .bad = "#54231e",
    .panel = "#1c2229",
    .lines = {"#5aa9e6", "#ff8c4a", "#2cc79a", "#e6a0c8", "#f2b840", "#a9dcff", "#8c96a0", "#b79cf0"}};

inline constexpr int kShades = 48;  // of heat maps

std::string line_class(size_t series);             // color and dashes of the n-th line
int shade(double value, double low, double high);  // 0 .. kShades - 1, clamped
std::string shade_color(int index);                // "#21908d"
std::string drawing_style();

}  // namespace locus::report
