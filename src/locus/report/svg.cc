#include "locus/report/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "locus/report/palette.h"
#include "locus/text/unicode.h"

namespace locus::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The bytes of the first character of `text`; 0 if it is not valid in XML.
size_t character(std::string_view text) {
  const Character first = character_at(text, 0);
  const bool is_one = first.code != Character::kNoCode && first.code != 0xfffe && first.code != 0xffff;
  return is_one ? first.length : 0;
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

std::string shortened(std::string_view text, double size, double most) {
  if (text_width(text, size) <= most) return std::string(text);
  const auto starts_character = [&](size_t at) {
    return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
  };
  std::string result;
  for (size_t kept = 1; 2 * kept < text.size(); ++kept) {
    const size_t head = kept, tail = text.size() - kept;
    if (!starts_character(head) || !starts_character(tail)) continue;
    std::string longer = fmt::format("{}\u2026{}", text.substr(0, head), text.substr(tail));
    if (!result.empty() && text_width(longer, size) > most) break;
    result = std::move(longer);
  }
  return result;
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
