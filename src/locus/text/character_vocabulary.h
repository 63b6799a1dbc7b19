// Every character of a text is a token: ids in the order of code points, then special tokens. A character
// that is not in the vocabulary, or a byte that is not UTF-8, becomes the special token <unk> if the
// vocabulary has one, and is an error otherwise.
#pragma once

#include "locus/text/tokenizer.h"

namespace locus {

struct Character;

class CharacterVocabulary final : public Tokenizer {
 public:
  // The vocabulary of all characters of `text`, which must be UTF-8 and not empty.
  static CharacterVocabulary of_text(std::string_view text, const std::vector<std::string>& specials = {});
  // `characters` are unique and in the order of their ids.
  CharacterVocabulary(const std::vector<std::string>& characters, const std::vector<std::string>& specials);

  std::string_view kind() const override { return "characters"; }
  void save(const std::filesystem::path& folder) const override;

 private:
  void append(std::string_view text, std::vector<int32_t>& ids) const override;
  Encoding tokens_of(std::string_view text, Specials specials) const override;
  int32_t id_of(const Character& character, std::string_view text, size_t offset) const;
  std::string_view plain_bytes(int32_t id) const override { return characters_[id]; }

  std::vector<std::string> characters_;
  std::unordered_map<int32_t, int32_t> ids_;  // by code point
  int32_t unknown_ = -1;
};

}  // namespace locus
