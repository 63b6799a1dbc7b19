#include "locus/base/quote.h"

#include <iterator>

namespace locus {
namespace {

constexpr size_t kLongest = 80;

}  // namespace

std::string Quoted::text() const {
  std::string result = "'";
  size_t end = original.size();
  if (end > kLongest) {
    // Not inside a character: its later bytes are 10xxxxxx.
    for (end = kLongest; end > 0 && (static_cast<unsigned char>(original[end]) & 0xc0u) == 0x80u;) --end;
  }
  for (const char c : original.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  result += '\'';
  if (end < original.size()) fmt::format_to(std::back_inserter(result), "... ({} bytes)", original.size());
  return result;
}

}  // namespace locus
