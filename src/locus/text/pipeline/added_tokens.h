// Added tokens of a vocabulary. They are matched as a whole in the raw text before all other steps, or in the
// normalized text.
#pragma once

#include <array>
#include <functional>
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
  bool normalized = true;            // matched in the normalized text
  bool left = false, right = false;  // includes the whitespace on that side
  bool single_word = false;          // not matched inside a word
};

AddedToken read_added_token(const JsonPart& part);  // without its id
std::vector<AddedToken> read_added_tokens(const JsonPart& tokenizer);
TextBudget budget_of(std::span<const AddedToken> tokens);  // to normalize the contents of all of them

// Finds the added tokens of the raw text, or those of the normalized text.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  // `normalizer` is applied to the contents of the tokens; it may be null.
  AddedTokenFinder(std::span<const AddedToken> tokens, bool normalized, const Normalizer* normalizer);

  // A part of a text: a token, or the text between tokens (id -1).
  struct Part {
    size_t begin, end;
    int32_t id;
  };
  // Whether a user wrote a part of a range, so that the name of a special token there is text.
  using FromUser = std::function<bool(size_t begin, size_t end)>;
  std::vector<Part> cut(std::string_view text, Specials specials, const FromUser& from_user = {}) const;
  bool finds_nothing(Specials specials) const;  // true for every text
  bool finds_nothing(std::string_view text, Specials specials) const;

 private:
  std::vector<AddedToken> tokens_;
  TokenTrie trie_;                 // to indices in tokens_
  std::array<bool, 256> first_{};  // first bytes of the tokens
};

}  // namespace locus
