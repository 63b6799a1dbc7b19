#include "locus/text/pipeline/scanners.h"

#include "locus/text/unicode.h"

namespace locus {
namespace {

struct Seen {
  CharacterClass kind;
  uint32_t length;
  int32_t code;
};

Seen look(std::string_view text, size_t i) {
  const Character character = character_at(text, i);
  return {class_of(character), character.length, character.code};
}

bool ends_line(int32_t code) { return code == '\r' || code == '\n'; }

// The end of the run of one kind of characters that begins at i, and has at most `most` characters.
size_t run_end(std::string_view text, size_t i, CharacterClass kind, size_t most = -1) {
  for (size_t count = 0; i < text.size() && count < most; ++count) {
    const Seen seen = look(text, i);
    if (seen.kind != kind) break;
    i += seen.length;
  }
  return i;
}

// Length of 's, 't, 're, 've, 'm, 'll or 'd in any case at `begin`; 0: none of them. U+017F (long s) counts
// as s.
size_t contraction(std::string_view text, size_t begin) {
  const auto small = [&](size_t i) { return i < text.size() ? static_cast<char>(text[i] | 0x20) : '\0'; };
  const char c = small(begin + 1), d = small(begin + 2);
  if (c == 's' || c == 't' || c == 'm' || c == 'd') return 2;
  if (text.substr(begin + 1, 2) == "\u017f") return 3;
  return (c == 'l' && d == 'l') || ((c == 'r' || c == 'v') && d == 'e') ? 3 : 0;
}

// The end of a run of whitespace: after its last line end. Without a line end, the last character belongs to
// the next word, unless the run is one character or ends the text.
size_t blanks_end(std::string_view text, size_t begin) {
  size_t i = begin, last = begin, line = begin;
  while (i < text.size()) {
    const Seen seen = look(text, i);
    if (seen.kind != CharacterClass::space) break;
    last = i;
    i += seen.length;
    if (ends_line(seen.code)) line = i;
  }
  if (line > begin) return line;
  return i == text.size() || last == begin ? i : last;
}

size_t others_end(std::string_view text, size_t i) {
  i = run_end(text, i, CharacterClass::other);
  while (i < text.size() && ends_line(text[i])) ++i;
  return i;
}

size_t word_end_of(std::string_view text, size_t begin, size_t digits) {
  if (text[begin] == '\'') {
    const size_t length = contraction(text, begin);
    if (length > 0) return begin + length;
  }
  const Seen first = look(text, begin);
  const size_t after = begin + first.length;
  if (first.kind == CharacterClass::letter) return run_end(text, after, CharacterClass::letter);
  if (first.kind == CharacterClass::number) return run_end(text, begin, CharacterClass::number, digits);
  if (!ends_line(first.code) && after < text.size()) {
    const Seen next = look(text, after);
    if (next.kind == CharacterClass::letter) return run_end(text, after, CharacterClass::letter);
    if (first.code == ' ' && next.kind == CharacterClass::other) return others_end(text, after);
  }
  return first.kind == CharacterClass::other ? others_end(text, begin) : blanks_end(text, begin);
}

}  // namespace

size_t word_end_by_threes(std::string_view text, size_t begin) { return word_end_of(text, begin, 3); }

size_t word_end_by_digits(std::string_view text, size_t begin) { return word_end_of(text, begin, 1); }

}  // namespace locus
