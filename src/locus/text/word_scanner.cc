#include "locus/text/word_scanner.h"

#include <array>
#include <bit>
#include <cstring>

#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr std::array<CharacterClass, 128> kAscii = [] {
  std::array<CharacterClass, 128> classes{};
  for (int c = 0; c < 128; ++c) {
    classes[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? CharacterClass::letter
                 : c >= '0' && c <= '9'                           ? CharacterClass::number
                 : c == ' ' || (c >= '\t' && c <= '\r')           ? CharacterClass::space
                                                                  : CharacterClass::other;
  }
  return classes;
}();

struct Seen {
  CharacterClass kind;
  uint32_t length;
};

inline Seen look(std::string_view text, size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x80) return {kAscii[byte], 1};
  const Character character = character_at(text, i);
  return {class_of(character), character.length};
}

// The end of the ASCII letters that begin at i, eight bytes at a time. Most of a text is such words, and the
// end of a loop over single bytes would be mispredicted for each of them.
inline size_t ascii_letters_end(std::string_view text, size_t i) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  for (; text.size() - i >= 8; i += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, 8);
    const uint64_t small = (bytes | 0x20 * kEach) & 0x7f * kEach;
    // The high bit of each byte is set if the byte is ASCII and from 'a' to 'z'.
    const uint64_t letters = (small + (0x80 - 'a') * kEach) & ~(small + (0x7f - 'z') * kEach) & ~bytes;
    const uint64_t others = ~letters & 0x80 * kEach;
    if (others != 0) return i + static_cast<size_t>(std::countr_zero(others)) / 8;
  }
  while (i < text.size() && static_cast<unsigned char>((text[i] | 0x20) - 'a') < 26) ++i;
  return i;
}

size_t run_end(std::string_view text, size_t i, CharacterClass kind) {
  if (kind == CharacterClass::letter) i = ascii_letters_end(text, i);
  while (i < text.size()) {
    const Seen seen = look(text, i);
    if (seen.kind != kind) break;
    i += seen.length;
  }
  return i;
}

// Length of 's, 't, 're, 've, 'm, 'll or 'd at the start of the text; 0: none of them.
size_t contraction(std::string_view text) {
  if (text.size() < 2) return 0;
  const char c = text[1];
  if (c == 's' || c == 't' || c == 'm' || c == 'd') return 2;
  if (text.size() < 3) return 0;
  const bool three = (c == 'l' && text[2] == 'l') || ((c == 'r' || c == 'v') && text[2] == 'e');
  return three ? 3 : 0;
}

// A run of spaces leaves its last character to the next word, which may begin with a space.
size_t space_end(std::string_view text, size_t begin) {
  size_t i = begin, last = begin;
  while (i < text.size()) {
    const Seen seen = look(text, i);
    if (seen.kind != CharacterClass::space) return last > begin ? last : i;
    last = i;
    i += seen.length;
  }
  return i;
}

}  // namespace

size_t word_end(std::string_view text, size_t begin) {
  const char first = text[begin];
  if (first == '\'') {
    const size_t length = contraction(text.substr(begin));
    if (length > 0) return begin + length;
  }
  const size_t start = first == ' ' && begin + 1 < text.size() ? begin + 1 : begin;
  const Seen seen = look(text, start);
  if (seen.kind == CharacterClass::space) return space_end(text, begin);
  return run_end(text, start + seen.length, seen.kind);
}

size_t last_cut(std::string_view text) {
  for (size_t i = text.rfind('\n'); i != std::string_view::npos && i > 0; i = text.rfind('\n', i - 1)) {
    if (text[i - 1] > ' ' && text[i - 1] < 0x7f) return i;
  }
  return 0;
}

}  // namespace locus
