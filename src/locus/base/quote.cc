#include "locus/base/quote.h"

#include <fmt/format.h>

#include <iterator>

namespace locus {
namespace {

constexpr size_t kLongest = 80;

}  // namespace

std::string quote(std::string_view text) {
  std::string result = "'";
  size_t end = text.size();
  if (end > kLongest) {
    // Not inside a character: its later bytes are 10xxxxxx.
    for (end = kLongest; end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u;) --end;
  }
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  result += '\'';
  if (end < text.size()) fmt::format_to(std::back_inserter(result), "... ({} bytes)", text.size());
  return result;
}

}  // namespace locus
