#include "locus/text/readable.h"

#include "locus/text/unicode.h"

namespace locus {
namespace {

// The length of the truncated character at `offset`, where no valid character begins.
size_t broken_length(std::string_view bytes, size_t offset) {
  const auto at = [&](size_t i) {
    return offset + i < bytes.size() ? static_cast<unsigned char>(bytes[offset + i]) : 0;
  };
  const unsigned first = at(0), second = at(1);
  if (first < 0xc2 || first > 0xf4) return 1;
  // Excludes overlong forms, surrogates, and code points above the last.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (first < 0xe0 || second < least || second > most) return 1;
  return first >= 0xf0 && (at(2) & 0xc0) == 0x80 ? 3 : 2;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const Character character = character_at(bytes, i);
    if (character.code == Character::kNoCode) return false;
    i += character.length;
  }
  return true;
}

std::string readable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size();) {
    const Character character = character_at(bytes, i);
    if (character.code == Character::kNoCode) {
      text += "\ufffd";
      i += broken_length(bytes, i);
    } else {
      text += bytes.substr(i, character.length);
      i += character.length;
    }
  }
  return text;
}

}  // namespace locus
