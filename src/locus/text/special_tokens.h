// Tokens that stand for no text: the end of a document, a mask. Their names in a text mean them only when the
// caller asks for it; otherwise they are letters like all others.
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
  // Names and ids; a name is UTF-8 of 1 to 256 bytes, an id is not negative, and no id has two names.
  explicit SpecialTokens(std::map<std::string, int32_t> ids);

  const std::map<std::string, int32_t>& ids() const { return ids_; }
  const std::string* name(int32_t id) const;  // nullptr: not a special token

  // The longest name that begins at `offset`; at most 256 steps, however many names there are.
  TokenTrie::Match match(std::string_view text, size_t offset) const {
    return trie_.longest(text.substr(offset));
  }

 private:
  std::map<std::string, int32_t> ids_;
  std::unordered_map<int32_t, std::string> names_;
  TokenTrie trie_;  // of the names
};

// The names in this order, with ids from `first` on.
SpecialTokens numbered_from(int32_t first, const std::vector<std::string>& names);

}  // namespace locus
