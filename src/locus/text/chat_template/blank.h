// The whitespace of Python, which its strip() and split() remove.
#pragma once

#include "locus/text/unicode.h"

namespace locus::chat {

inline bool is_blank(Character character) {
  return class_of(character) == CharacterClass::space || (character.code >= 0x1c && character.code <= 0x1f);
}

// The end of a text without the blanks at its end, and the begin without those at its beginning.
inline size_t stripped_end(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const Character character = character_before(text, end);
    if (!is_blank(character)) break;
    end -= character.length;
  }
  return end;
}

inline size_t stripped_begin(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size() && is_blank(character_at(text, begin)))
    begin += character_at(text, begin).length;
  return begin;
}

}  // namespace locus::chat
