// The colours of pictures, and the style sheet that names them. Two sets, for light and for dark paper, taken
// by what the reader's system asks for. Lines have eight colours people with any colour vision tell apart
// (after Okabe and Ito, with the pale ones made to stand out from the paper), then the same ones dashed.
// Areas run through viridis, whose brightness rises evenly: it reads on both papers and in grey.
//
// Rules give colours as they are, without variables: programs that show slides read no more CSS than that.
#pragma once

#include <array>
#include <string>

namespace locus::report {

struct Paper {
  const char* paper;
  const char* ink;
  const char* faint;  // text of less weight
  const char* rule;   // grid lines and frames
  std::array<const char*, 8> lines;
};

inline constexpr Paper kLight = {
    .paper = "#ffffff",
    .ink = "#1b1f24",
    .faint = "#57606a",
    .rule = "#d8dee4",
    .lines = {"#0072b2", "#d55e00", "#008a64", "#b3558a", "#a87400", "#2f8fca", "#444b53", "#7b4fb5"}};
inline constexpr Paper kDark = {
    .paper = "#14181d",
    .ink = "#e8ebee",
    .faint = "#a3acb5",
    .rule = "#363d45",
    .lines = {"#5aa9e6", "#ff8c4a", "#2cc79a", "#e6a0c8", "#f2b840", "#a9dcff", "#8c96a0", "#b79cf0"}};

inline constexpr int kShades = 48;  // of areas

std::string line_class(size_t series);             // of its colour and its dashes
int shade(double value, double low, double high);  // 0 .. kShades - 1, held at the ends
std::string shade_colour(int index);               // "#21908d"
std::string drawing_style();

}  // namespace locus::report
