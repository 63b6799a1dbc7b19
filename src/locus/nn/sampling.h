// Selection of the next token from logits.
#pragma once

#include <span>
#include <vector>

#include "locus/base/random.h"

namespace locus {

struct Sampling {
  float temperature = 0;
  int64_t top_k = 0;
  float top_p = 1;
  float min_p = 0;
  float repetition_penalty = 1;  // divides positive logits and multiplies negative ones

  template <class F>
  void fields(F& f) {
    f.number("temperature", temperature, 0, 1000,
             "sampling temperature; 0: always the most likely token (greedy)");
    f.integer("top_k", top_k, 0, 1 << 24, "sample from the k most likely tokens; 0: from all");
    f.number("top_p", top_p, 0, 1,
             "sample from the most likely tokens whose probabilities sum to p; 1: from all");
    f.number("min_p", min_p, 0, 1,
             "sample from tokens at least min_p times as likely as the most likely one; 0: from all");
    f.number("repetition_penalty", repetition_penalty, 1e-3, 1e3,
             "penalty on tokens that already occurred; 1: none");
  }
};

void check_sampling(const Sampling& sampling);  // throws if a value is outside the limits above

// The next token after `history`. The random number depends only on `random` and on the length of the
// history, never on other sequences that are generated in the same batch.
int32_t sample(std::span<const float> logits, std::span<const int32_t> history, const Sampling& sampling,
               const Random& random);

// Applies the repetition penalty to the tokens of `history`. Scores are logits or log probabilities [V].
template <class T>
void penalize(std::span<T> scores, std::span<const int32_t> history, float penalty);

// softmax and log softmax [V], computed in double.
std::vector<double> probabilities(std::span<const float> logits);
std::vector<double> log_probabilities(std::span<const float> logits);

}  // namespace locus
