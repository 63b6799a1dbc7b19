// Several texts or byte strings in one: each is a 64-bit number of bytes, then the bytes.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "locus/dist/transport.h"

namespace locus::dist {

std::vector<std::byte> pack(std::span<const std::string_view> parts);
std::vector<std::byte> pack(std::initializer_list<std::string_view> parts);

// The parts, which refer to `bytes`. Fails unless there are `count` parts. `what` names the bytes in errors.
std::vector<std::string_view> unpack(ConstBytes bytes, size_t count, const char* what);
std::vector<std::string_view> unpack(ConstBytes bytes, const char* what);

inline std::string_view text_of(ConstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace locus::dist
