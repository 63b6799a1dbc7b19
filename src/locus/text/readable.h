// Bytes as text that any program can read.
#pragma once

#include <string>
#include <string_view>

namespace locus {

bool is_utf8(std::string_view bytes);

// What is no UTF-8 becomes U+FFFD: one for every beginning of a character that breaks off, and for every byte
// that begins none (the practice that Unicode recommends).
std::string readable(std::string_view bytes);

}  // namespace locus
