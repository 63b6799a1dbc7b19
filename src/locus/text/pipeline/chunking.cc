#include "locus/text/pipeline/chunking.h"

#include <utf8proc.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "locus/text/unicode.h"

namespace locus {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Whether no grapheme spans `place`, which is inside the text and next to an ASCII character.
bool is_boundary(std::string_view text, size_t place) {
  const char before = text[place - 1], after = text[place];
  if (is_ascii(before) && is_ascii(after)) return before != '\r' || after != '\n';
  const int32_t left = character_before(text, place).code, right = character_at(text, place).code;
  return left < 0 || right < 0 || utf8proc_grapheme_break(left, right);
}

// The next space, searched eight bytes at a time; the size of the text if there is none.
size_t next_space(std::string_view text, size_t i) {
  constexpr uint64_t kEach = 0x0101010101010101u;
  for (; text.size() - i >= 8; i += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, 8);
    bytes ^= ' ' * kEach;
    // The high bit of each byte that is zero now. The lowest such bit is exact; higher ones may be false.
    const uint64_t blanks = (bytes - kEach) & ~bytes & 0x80 * kEach;
    if (blanks != 0) return i + static_cast<size_t>(std::countr_zero(blanks)) / 8;
  }
  while (i < text.size() && text[i] != ' ') ++i;
  return i;
}

size_t after_spaces(std::string_view text, size_t i) {
  while (i < text.size() && text[i] == ' ') ++i;
  return i;
}

enum Kind : uint8_t { blank, mark, word };

// Other control characters count as word characters: BERT's normalizer removes them from words.
constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    kinds[c] = space ? blank : c > ' ' && c < 0x7f && !letter ? mark : word;
  }
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

}  // namespace

size_t space_chunk_end(std::string_view text, size_t begin) {
  size_t i = after_spaces(text, begin);
  while ((i = next_space(text, i)) < text.size()) {
    const size_t after = after_spaces(text, i);
    if (is_boundary(text, i) && (after == text.size() || is_boundary(text, after))) return i;
    i = after;
  }
  return i;
}

size_t punctuation_chunk_end(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i < text.size() && kind_of(text[i]) == blank) ++i;
  if (i == text.size()) return i;
  // The last of several spaces belongs to the next chunk.
  if (i > begin + 1 && is_boundary(text, i - 1)) return i - 1;
  const bool marked = kind_of(text[i]) == mark;
  ++i;
  if (marked && (i == text.size() || is_ascii(text[i]))) return i;
  const auto continues = [&] { return kind_of(text[i]) == word || !is_boundary(text, i); };
  while (i < text.size() && continues()) ++i;
  return i;
}

}  // namespace locus
