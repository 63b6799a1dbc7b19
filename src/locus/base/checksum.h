// XXH64 (Collet): a fast 64-bit checksum. It detects damaged bytes, not forged ones, and gives the same value
// on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace locus {

uint64_t checksum(std::span<const std::byte> bytes);
uint64_t checksum(std::string_view text);

}  // namespace locus
