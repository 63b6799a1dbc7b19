// From logits to the next token.
#pragma once

#include <span>
#include <vector>

#include "locus/base/random.h"

namespace locus {

struct Sampling {
  float temperature = 0;         // 0: the most likely token, always
  int64_t top_k = 0;             // only the k most likely; 0: all
  float top_p = 1;               // only the most likely that together reach p
  float min_p = 0;               // only those at least this part of the most likely one
  float repetition_penalty = 1;  // on tokens that occurred: logits divided by it, or multiplied below zero

  template <class F>
  void fields(F& f) {
    f.number("temperature", temperature, 0, 1000, "0: the most likely token, always");
    f.integer("top_k", top_k, 0, 1 << 24, "only the k most likely tokens; 0: all");
    f.number("top_p", top_p, 0, 1, "only the most likely tokens that together reach p");
    f.number("min_p", min_p, 0, 1, "only tokens at least this part of the most likely one");
    f.number("repetition_penalty", repetition_penalty, 1e-3, 1e3, "on tokens that occurred; 1: none");
  }
};

void check_sampling(const Sampling& sampling);  // against those limits

// The next token after `history`. `random` gives the numbers of this sequence; the draw depends on it and on
// the history's length alone, never on what else is generated beside.
int32_t sample(std::span<const float> logits, std::span<const int32_t> history, const Sampling& sampling,
               const Random& random);

// Makes tokens that occurred less likely, in logits or log probabilities [V], float or double.
template <class T>
void penalise(std::span<T> scores, std::span<const int32_t> history, float penalty);

// softmax and its logarithm, in double: [V].
std::vector<double> probabilities(std::span<const float> logits);
std::vector<double> log_probabilities(std::span<const float> logits);

}  // namespace locus
