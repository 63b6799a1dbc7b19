// How vocab.bpe and encoder.json spell bytes: each as one printable character, so that a token is a word
// without spaces. Bytes that are printable in Latin-1 stay as they are. All other bytes become, in order,
// U+0100, U+0101, and so on. A space is U+0120.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace locus {

std::string spelled(std::string_view bytes);
std::optional<std::string> unspelled(std::string_view word);  // nothing if a character spells no byte

// All bytes in the order of their characters, which is the order of their ids in a learned vocabulary.
const std::array<uint8_t, 256>& bytes_in_order();

}  // namespace locus
