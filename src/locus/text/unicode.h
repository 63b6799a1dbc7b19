// The characters of a text that may contain invalid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace locus {

// A byte that does not begin valid UTF-8 (an overlong form, a surrogate, a part of a character) is a
// character of its own without a code point: kNoCode, length 1.
struct Character {
  static constexpr int32_t kNoCode = -1;
  int32_t code = kNoCode;
  uint32_t length = 1;  // in bytes
};

Character longer_character_at(std::string_view text, size_t offset);   // for a byte that is not ASCII
inline Character character_at(std::string_view text, size_t offset) {  // offset < text.size()
  const auto byte = static_cast<unsigned char>(text[offset]);
  return byte < 0x80 ? Character{.code = byte, .length = 1} : longer_character_at(text, offset);
}
Character character_before(std::string_view text, size_t end);  // the character that ends at `end` > 0

// The classes that patterns distinguish: the Unicode categories L and N, the property White_Space, and all
// others. A byte without a code point is `other`, like U+FFFD, which replaces it elsewhere.
enum class CharacterClass : uint8_t { letter, number, space, other };

CharacterClass class_of(Character character);
bool in_word(Character character);  // letters, digits, combining marks, and joiners

std::string utf8(int32_t code);  // the bytes of a code point
std::string name_of(Character, std::string_view text,
                    size_t offset);  // for errors: 'x' (U+0078), or byte 0xff

}  // namespace locus
