// Tokens that were added to a vocabulary: each is found whole in a text before anything else happens to it,
// or right after the text was normalized.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "locus/text/encoding.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/token_trie.h"

namespace locus {

struct AddedToken {
  std::string content;
  int32_t id = -1;
  bool special = false;
  bool normalized = true;            // looked for in the normalized text
  bool left = false, right = false;  // takes the blanks on that side with it
  bool single_word = false;          // only where no word goes on
};

AddedToken read_added_token(const JsonPart& part);  // without its id
std::vector<AddedToken> read_added_tokens(const JsonPart& tokenizer);

// Finds those that are looked for in one of the two kinds of text.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  // `normalizer` is applied to the contents; it may be nothing.
  AddedTokenFinder(std::span<const AddedToken> tokens, bool normalized, const Normalizer* normalizer);

  // A part of a text: a token, or text between tokens (id -1).
  struct Part {
    size_t begin, end;
    int32_t id;
  };
  std::vector<Part> cut(std::string_view text, Specials specials) const;
  bool finds_nothing(Specials specials) const;  // in any text
  bool finds_nothing(std::string_view text, Specials specials) const;

 private:
  std::vector<AddedToken> tokens_;
  TokenTrie trie_;                 // to places in tokens_
  std::array<bool, 256> first_{};  // bytes that one of them begins with
};

}  // namespace locus
