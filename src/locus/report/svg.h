// SVG by hand. A drawing is a size and the elements inside it, so that the same one can stand in a page, in a
// file of its own, or as a part of a larger drawing. Colours come from the classes of report/palette.h.
#pragma once

#include <string>
#include <string_view>

namespace locus::report {

struct Drawing {
  double width = 0, height = 0;
  std::string body;
  std::string label;  // what it shows, for those who hear a page
};

// For text and attribute values of XML and HTML. Bytes XML has no place for become U+FFFD.
std::string escape(std::string_view text);
// A coordinate: at most two decimals.
std::string number(double value);
// How wide a text is in the fonts that may be used for it; rather too wide than too narrow.
double text_width(std::string_view text, double size);

inline constexpr double kTextSize = 13;

struct TextStyle {
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  double size = kTextSize;
  std::string_view kind = "words";  // a class of the style sheet
  bool upwards = false;             // turned, to stand beside a vertical axis
};
std::string text_at(double x, double y, std::string_view text, const TextStyle& style = {});

// A drawing as part of another, its top left corner at (x, y).
std::string placed(const Drawing& drawing, double x, double y);

std::string svg_element(const Drawing& drawing);  // for a page, which has the style sheet
std::string svg_file(const Drawing& drawing);     // with the style sheet and a background, for anywhere

}  // namespace locus::report
