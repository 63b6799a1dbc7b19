#include "locus/text/pipeline/parting.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "locus/text/unicode.h"

namespace locus {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Whether no grapheme reaches across `place`, which is inside the text and has an ASCII character on one
// side.
bool stands_apart(std::string_view text, size_t place) {
  const char before = text[place - 1], behind = text[place];
  if (is_ascii(before) && is_ascii(behind)) return before != '\r' || behind != '\n';
  const int32_t left = character_before(text, place).code, right = character_at(text, place).code;
  return left < 0 || right < 0 || utf8proc_grapheme_break(left, right);
}

enum Kind : uint8_t { blank, mark, word };

// Other controls are of no kind of their own: BERT's normalizer takes them out of words.
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

size_t blank_part_end(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i < text.size() && text[i] == ' ') ++i;
  while ((i = std::min(text.find(' ', i), text.size())) < text.size()) {
    const size_t behind = text.find_first_not_of(' ', i);
    if (stands_apart(text, i) && (behind == std::string_view::npos || stands_apart(text, behind))) return i;
    i = std::min(behind, text.size());
  }
  return i;
}

size_t punctuated_part_end(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i < text.size() && kind_of(text[i]) == blank) ++i;
  if (i == text.size()) return i;
  // The last blank of several goes with what follows.
  if (i > begin + 1 && stands_apart(text, i - 1)) return i - 1;
  const bool marked = kind_of(text[i]) == mark;
  ++i;
  if (marked && (i == text.size() || is_ascii(text[i]))) return i;
  const auto goes_on = [&] { return kind_of(text[i]) == word || !stands_apart(text, i); };
  while (i < text.size() && goes_on()) ++i;
  return i;
}

}  // namespace locus
