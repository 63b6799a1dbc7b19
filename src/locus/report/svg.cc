#include "locus/report/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "locus/report/palette.h"

namespace locus::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The bytes of the well-formed character at the front of `text`; 0 when there is none.
size_t character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, past U+10FFFF; and U+FFFE and U+FFFF, which XML does not have.
  const unsigned char second = byte(1);
  if (first == 0xef && second == 0xbf && byte(2) >= 0xbe) return 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

std::string attributes(const Drawing& drawing) {
  return fmt::format(
      R"(xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}")",
      number(drawing.width), number(drawing.height), escape(drawing.label));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = character(text);
    const char c = text.front();
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    if (length == 0 || control) {
      result += kReplacement;
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // inside a character
    const bool narrow = std::string_view("ijltfr.,:;'|!() ").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW").find(c) != std::string_view::npos;
    ems += narrow ? 0.38 : wide ? 0.9 : 0.6;
  }
  return ems * size;
}

std::string text_at(double x, double y, std::string_view text, const TextStyle& style) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  const std::string turn =
      style.upwards ? fmt::format(R"~( transform="rotate(-90 {} {})")~", number(x), number(y)) : "";
  return fmt::format(R"(<text x="{}" y="{}" class="{}" font-size="{}" text-anchor="{}"{}>{}</text>)",
                     number(x), number(y), style.kind, number(style.size),
                     kAnchors[static_cast<size_t>(style.anchor)], turn, escape(text));
}

std::string placed(const Drawing& drawing, double x, double y) {
  return fmt::format("<g transform=\"translate({} {})\">{}</g>\n", number(x), number(y), drawing.body);
}

std::string svg_element(const Drawing& drawing) {
  return fmt::format("<svg {}>{}</svg>\n", attributes(drawing), drawing.body);
}

std::string svg_file(const Drawing& drawing) {
  return fmt::format(
      "<svg {}>\n<title>{}</title>\n<style>\n{}</style>\n"
      "<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n{}</svg>\n",
      attributes(drawing), escape(drawing.label), drawing_style(), number(drawing.width),
      number(drawing.height), drawing.body);
}

}  // namespace locus::report
