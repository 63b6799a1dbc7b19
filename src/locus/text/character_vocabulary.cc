#include "locus/text/character_vocabulary.h"

#include <set>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/unicode.h"
#include "locus/text/vocabulary_file.h"

namespace locus {

CharacterVocabulary CharacterVocabulary::of_text(std::string_view text,
                                                 const std::vector<std::string>& specials) {
  std::set<int32_t> codes;
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    require(character.code != Character::kNoCode,
            "character vocabulary: {} at offset {} of the text, expected UTF-8", name_of(character, text, i),
            i);
    codes.insert(character.code);
    i += character.length;
  }
  std::vector<std::string> characters;
  for (const int32_t code : codes) characters.push_back(utf8(code));
  return CharacterVocabulary(characters, specials);
}

CharacterVocabulary::CharacterVocabulary(const std::vector<std::string>& characters,
                                         const std::vector<std::string>& specials)
    : Tokenizer(static_cast<int32_t>(characters.size() + specials.size()),
                numbered_from(static_cast<int32_t>(characters.size()), specials)),
      characters_(characters) {
  require(!characters.empty(), "character vocabulary: got no characters, expected at least one");
  for (size_t id = 0; id < characters.size(); ++id) {
    const std::string& text = characters[id];
    const Character character = text.empty() ? Character{} : character_at(text, 0);
    require(character.code != Character::kNoCode && character.length == text.size(),
            "character vocabulary: token {} is {}, expected a single character", id, quote(text));
    require(ids_.emplace(character.code, static_cast<int32_t>(id)).second,
            "character vocabulary: duplicate character {} at token {}, expected each character once",
            quote(text), id);
  }
  const auto found = this->specials().ids().find("<unk>");
  if (found != this->specials().ids().end()) unknown_ = found->second;
}

int32_t CharacterVocabulary::id_of(const Character& character, std::string_view text, size_t offset) const {
  const auto found = ids_.find(character.code);
  const int32_t id = found == ids_.end() ? unknown_ : found->second;
  require(id >= 0,
          "{} at offset {} of the text is not in the vocabulary of {} characters, and there is no special "
          "token '<unk>' to replace it",
          name_of(character, text, offset), offset, characters_.size());
  return id;
}

void CharacterVocabulary::append(std::string_view text, std::vector<int32_t>& ids) const {
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    ids.push_back(id_of(character, text, i));
    i += character.length;
  }
}

// Offsets are counted in the text, because the name <unk> is longer than the character it replaces.
Encoding CharacterVocabulary::tokens_of(std::string_view text, Specials specials) const {
  Encoding encoding;
  for (size_t i = 0; i < text.size();) {
    TokenTrie::Match token;
    if (specials == Specials::are_tokens) token = this->specials().match(text, i);
    if (token.length == 0) {
      const Character character = character_at(text, i);
      token = {.length = character.length, .id = id_of(character, text, i)};
    }
    encoding.push(token.id, {static_cast<uint32_t>(i), static_cast<uint32_t>(i + token.length)}, 0, 0);
    i += token.length;
  }
  return encoding;
}

void CharacterVocabulary::save(const std::filesystem::path& folder) const {
  write_vocabulary_file(folder, {.kind = "characters", .characters = characters_, .specials = specials()});
}

}  // namespace locus
