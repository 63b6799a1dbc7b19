#include "locus/text/unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "locus/base/quote.h"

namespace locus {
namespace {

// White_Space is the categories Zs, Zl and Zp of utf8proc, and some control characters.
bool is_space(int32_t code, utf8proc_category_t category) {
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || (code >= 0x09 && code <= 0x0d) || code == 0x85;
}

}  // namespace

Character longer_character_at(std::string_view text, size_t offset) {
  const auto left = static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size() - offset, 4));
  utf8proc_int32_t code = 0;
  const auto length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + offset), left, &code);
  if (length <= 0) return {};
  return {.code = code, .length = static_cast<uint32_t>(length)};
}

Character character_before(std::string_view text, size_t end) {
  for (size_t length = std::min<size_t>(end, 4); length > 1; --length) {
    const Character character = character_at(text, end - length);
    if (character.length == length) return character;
  }
  return character_at(text, end - 1);
}

CharacterClass class_of(Character character) {
  if (character.code == Character::kNoCode) return CharacterClass::other;
  const utf8proc_category_t category = utf8proc_category(character.code);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return CharacterClass::letter;
  if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return CharacterClass::number;
  return is_space(character.code, category) ? CharacterClass::space : CharacterClass::other;
}

// kWordMembers (oniguruma.h) and joiners.
bool in_word(Character character) {
  const int32_t code = character.code;
  if (code == Character::kNoCode) return false;
  if (code == 0x200c || code == 0x200d || (code >= 0x24b6 && code <= 0x24e9)) return true;
  const utf8proc_category_t category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_PC &&
         category != UTF8PROC_CATEGORY_NO;
}

std::string utf8(int32_t code) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(code, bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(length)};
}

std::string name_of(Character character, std::string_view text, size_t offset) {
  if (character.code == Character::kNoCode) {
    return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[offset]));
  }
  return fmt::format("{} (U+{:04X})", quote(text.substr(offset, character.length)), character.code);
}

}  // namespace locus
