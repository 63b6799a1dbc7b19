// Rules that override the logits in generation, from a model's generation_config.json: for example, the model
// never generates padding, or every translation begins with the token of its language.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "locus/base/error.h"

namespace locus {

struct TokenRules {
  std::vector<int32_t> banned;
  // Forced first new token, and forced last token when only one more fits; -1: not forced.
  int32_t first = -1, last = -1;
  size_t no_repeat_ngram = 0;  // no n-gram of this size occurs twice; 0: no limit
  // Tokens that are banned until the sequence has min_length tokens, prompt included, and min_new_tokens new
  // ones.
  std::vector<int32_t> ends;
  int64_t min_length = 0, min_new_tokens = 0;
};

// Throws if a rule names a token outside the vocabulary.
inline void check_rules(const TokenRules& rules, int64_t vocabulary) {
  const auto check = [&](int32_t token, int32_t least) {
    require(token >= least && token < vocabulary, Code::bad_token,
            "token rules: token is {}, expected 0 to {}", token, vocabulary - 1);
  };
  for (const int32_t token : rules.banned) check(token, 0);
  for (const int32_t token : rules.ends) check(token, 0);
  check(rules.first, -1);
  check(rules.last, -1);
}

// Applies the rules to the logits or log probabilities [V] of new token `number` (from 0) of at most `count`,
// after `history`. Excluded tokens get -infinity; a forced token gets 0 and all others -infinity. As in
// transformers, the remaining scores are not normalized again.
template <class T>
void apply_rules(const TokenRules& rules, std::span<const int32_t> history, int64_t number, int64_t count,
                 std::span<T> scores) {
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  for (const int32_t token : rules.banned) scores[static_cast<size_t>(token)] = kNever;
  if (const size_t run = rules.no_repeat_ngram; run > 0 && run <= history.size()) {
    for (size_t i = 0; i + run <= history.size(); ++i) {
      const bool repeats = std::ranges::equal(history.subspan(i, run - 1), history.last(run - 1));
      if (repeats) scores[static_cast<size_t>(history[i + run - 1])] = kNever;
    }
  }
  if (std::ssize(history) < rules.min_length || number < rules.min_new_tokens) {
    for (const int32_t token : rules.ends) scores[static_cast<size_t>(token)] = kNever;
  }
  for (const int32_t token : {number == 0 ? rules.first : -1, number == count - 1 ? rules.last : -1}) {
    if (token < 0) continue;
    for (T& score : scores) score = kNever;
    scores[static_cast<size_t>(token)] = 0;
  }
}

}  // namespace locus
