// What a model must and must not write, whatever it would like to: rules that come with it, as that it never
// writes padding, or that every answer begins with the token of its language.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace locus {

struct TokenRules {
  std::vector<int32_t> banned;
  // The first new token, and the last when there is room for one more; -1: any.
  int32_t first = -1, last = -1;
};

// Logits or log probabilities [V] of new token `number`, from 0, of at most `count`. What is not allowed gets
// -infinity, what must come 0 and all else -infinity; the others are not scaled anew, as transformers has it.
template <class T>
void obey(const TokenRules& rules, int64_t number, int64_t count, std::span<T> scores) {
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  for (const int32_t token : rules.banned) scores[static_cast<size_t>(token)] = kNever;
  for (const int32_t token : {number == 0 ? rules.first : -1, number == count - 1 ? rules.last : -1}) {
    if (token < 0) continue;
    for (T& score : scores) score = kNever;
    scores[static_cast<size_t>(token)] = 0;
  }
}

}  // namespace locus
