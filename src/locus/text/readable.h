// Converts any bytes to valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace locus {

bool is_utf8(std::string_view bytes);

// Invalid UTF-8 becomes U+FFFD: one for every truncated character, and one for every byte that cannot begin a
// character (the practice that Unicode recommends).
std::string readable(std::string_view bytes);

}  // namespace locus
