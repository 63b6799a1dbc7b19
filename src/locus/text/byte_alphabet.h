// How vocab.bpe and encoder.json spell bytes: each as one printable character, so that a token is a word
// without blanks. Bytes that print as themselves in Latin-1 do; the others, in order, are U+0100, U+0101, ...
// A blank is U+0120.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace locus {

std::string spelled(std::string_view bytes);
std::optional<std::string> unspelled(std::string_view word);  // nothing: a character that spells no byte

// All bytes in the order of the characters that spell them: the order of their ids in a learned vocabulary.
const std::array<uint8_t, 256>& bytes_in_order();

}  // namespace locus
