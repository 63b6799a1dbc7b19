#include "locus/base/quote.h"

#include <iterator>

namespace locus {
namespace {

constexpr size_t kLongest = 80;

bool is_control(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  // U+0080 to U+009F are two bytes in UTF-8: c2, then 80 to 9f.
  const auto begins = [&](size_t at) {
    return at + 1 < text.size() && byte(at) == 0xc2 && byte(at + 1) >= 0x80 && byte(at + 1) < 0xa0;
  };
  return byte(i) < 0x20 || byte(i) == 0x7f || begins(i) || (i > 0 && begins(i - 1));
}

}  // namespace

std::string without_controls(std::string_view text, std::string_view allowed) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text, i) && allowed.find(text[i]) == std::string_view::npos) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(text[i]));
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string Quoted::text() const {
  std::string result = "'";
  size_t end = original.size();
  if (end > kLongest) {
    // Do not cut inside a UTF-8 character: its later bytes are 10xxxxxx.
    for (end = kLongest; end > 0 && (static_cast<unsigned char>(original[end]) & 0xc0u) == 0x80u;) --end;
  }
  result += without_controls(original.substr(0, end));
  result += '\'';
  if (end < original.size()) fmt::format_to(std::back_inserter(result), "... ({} bytes)", original.size());
  return result;
}

}  // namespace locus
