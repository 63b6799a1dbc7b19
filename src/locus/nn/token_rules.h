// What a model must and must not write, whatever it would like to: rules that come with it, as that it never
// writes padding, or that every answer begins with the token of its language.
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
  // The first new token, and the last when there is room for one more; -1: any.
  int32_t first = -1, last = -1;
  size_t unrepeated = 0;      // no run of so many tokens comes twice; 0: any may
  std::vector<int32_t> ends;  // not before there are so many tokens, the prompt's too, and so many new ones
  int64_t least_length = 0, least_tokens = 0;
};

// Refuses rules about tokens that a model does not have.
inline void check_rules(const TokenRules& rules, int64_t vocabulary) {
  const auto check = [&](int32_t token, int32_t least) {
    require(token >= least && token < vocabulary, "a rule is about token {}, expected 0 to {}", token,
            vocabulary - 1);
  };
  for (const int32_t token : rules.banned) check(token, 0);
  for (const int32_t token : rules.ends) check(token, 0);
  check(rules.first, -1);
  check(rules.last, -1);
}

// Logits or log probabilities [V] of new token `number`, from 0, of at most `count`, behind `history`. What
// is not allowed gets -infinity, what must come 0 and all else -infinity; the others are not scaled anew, as
// transformers has it.
template <class T>
void obey(const TokenRules& rules, std::span<const int32_t> history, int64_t number, int64_t count,
          std::span<T> scores) {
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  for (const int32_t token : rules.banned) scores[static_cast<size_t>(token)] = kNever;
  if (const size_t run = rules.unrepeated; run > 0 && run <= history.size()) {
    for (size_t i = 0; i + run <= history.size(); ++i) {
      const bool comes_again = std::ranges::equal(history.subspan(i, run - 1), history.last(run - 1));
      if (comes_again) scores[static_cast<size_t>(history[i + run - 1])] = kNever;
    }
  }
  if (std::ssize(history) < rules.least_length || number < rules.least_tokens) {
    for (const int32_t token : rules.ends) scores[static_cast<size_t>(token)] = kNever;
  }
  for (const int32_t token : {number == 0 ? rules.first : -1, number == count - 1 ? rules.last : -1}) {
    if (token < 0) continue;
    for (T& score : scores) score = kNever;
    scores[static_cast<size_t>(token)] = 0;
  }
}

}  // namespace locus
