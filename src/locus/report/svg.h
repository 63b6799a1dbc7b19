// Writes SVG. A drawing is a size and the elements inside it, so that it can become part of a page, a file,
// or part of a larger drawing. Colors come from the classes of report/palette.h.
#pragma once

#include <string>
#include <string_view>

namespace locus::report {

struct Drawing {
  double width = 0, height = 0;
  std::string body;
  std::string label;  // the text alternative for screen readers
};

// For text and attribute values of XML and HTML. Bytes that XML does not allow become U+FFFD.
std::string escape(std::string_view text);
// A coordinate: at most two decimals.
std::string number(double value);
// The estimated width of a text in any of the fonts, rather too large than too small.
double text_width(std::string_view text, double size);

inline constexpr double kTextSize = 13;
inline constexpr double kTickSize = kTextSize - 1.5;  // of the labels of an axis

// A text that is wider than `most`, with an ellipsis in its middle.
std::string shortened(std::string_view text, double size, double most);
// The most room for a name in a chart; longer names are shortened.
inline constexpr double kMostName = 190;

struct TextStyle {
  enum class Anchor { start, middle, end } anchor = Anchor::start;
  double size = kTextSize;
  std::string_view kind = "words";  // a class of the style sheet
  bool upwards = false;             // rotated, for a vertical axis
};
std::string text_at(double x, double y, std::string_view text, const TextStyle& style = {});

// A drawing as part of another, its top left corner at (x, y).
std::string placed(const Drawing& drawing, double x, double y);

std::string svg_element(const Drawing& drawing);  // for a page, which contains the style sheet
std::string svg_file(const Drawing& drawing);     // a file with the style sheet and a background

}  // namespace locus::report
