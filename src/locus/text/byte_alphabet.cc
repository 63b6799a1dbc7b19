#include "locus/text/byte_alphabet.h"

#include <algorithm>
#include <numeric>

#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr int32_t kFirstShifted = 0x100;

struct Alphabet {
  std::array<int32_t, 256> codes{};  // by byte
  std::array<int16_t, 512> bytes{};  // by code point; -1: none
  std::array<uint8_t, 256> order{};

  Alphabet() {
    bytes.fill(-1);
    int32_t shifted = kFirstShifted;
    for (int byte = 0; byte < 256; ++byte) {
      const bool prints = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
      codes[byte] = prints ? byte : shifted++;
      bytes[codes[byte]] = static_cast<int16_t>(byte);
    }
    std::iota(order.begin(), order.end(), uint8_t{0});
    std::ranges::sort(order, {}, [&](uint8_t byte) { return codes[byte]; });
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

std::string spelled(std::string_view bytes) {
  std::string word;
  for (const char c : bytes) word += utf8(alphabet().codes[static_cast<unsigned char>(c)]);
  return word;
}

std::optional<std::string> unspelled(std::string_view word) {
  const auto& known = alphabet().bytes;
  std::string bytes;
  for (size_t i = 0; i < word.size();) {
    const Character character = character_at(word, i);
    if (character.code < 0 || character.code >= static_cast<int32_t>(known.size())) return {};
    if (known[character.code] < 0) return {};
    bytes += static_cast<char>(known[character.code]);
    i += character.length;
  }
  return bytes;
}

const std::array<uint8_t, 256>& bytes_in_order() { return alphabet().order; }

}  // namespace locus
