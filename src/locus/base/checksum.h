// XXH64 (Collet): a fast 64-bit checksum that tells damaged bytes, not forged ones. Independent of the
// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace locus {

uint64_t checksum(std::span<const std::byte> bytes);
uint64_t checksum(std::string_view text);

}  // namespace locus
