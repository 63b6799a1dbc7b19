// Special tokens have no text: for example the end of a document, or a mask. A name in a text is ordinary
// text, unless the caller passes Specials::are_tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/text/token_trie.h"

namespace locus {

class SpecialTokens {
 public:
  SpecialTokens() = default;
  // Names (UTF-8, 1 to 256 bytes) and ids (0 or more, unique).
  explicit SpecialTokens(std::map<std::string, int32_t> ids);

  const std::map<std::string, int32_t>& ids() const { return ids_; }
  const std::string* name(int32_t id) const;  // nullptr if it is not a special token

  // The longest name that begins at `offset`. Takes at most 256 steps for any number of names.
  TokenTrie::Match match(std::string_view text, size_t offset) const {
    return trie_.longest(text.substr(offset));
  }

 private:
  std::map<std::string, int32_t> ids_;
  std::unordered_map<int32_t, std::string> names_;
  TokenTrie trie_;  // of the names
};

// Special tokens with these names and the ids first, first + 1, and so on.
SpecialTokens numbered_from(int32_t first, const std::vector<std::string>& names);

}  // namespace locus
