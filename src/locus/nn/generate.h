// Text that goes on: tokens one after the other, each from the logits behind all before it.
#pragma once

#include <functional>
#include <vector>

#include "locus/nn/model.h"
#include "locus/nn/sampling.h"
#include "locus/nn/token_rules.h"

namespace locus {

struct GenerateOptions {
  int64_t max_tokens = 128;         // new ones, for each prompt
  std::vector<int32_t> end_tokens;  // a sequence ends with any of these
  TokenRules rules;
  Sampling sampling;
  uint64_t seed = 0;
  // Called with each new token as it comes; false ends that sequence.
  std::function<bool(int64_t prompt, int32_t token)> on_token;
};

// The new tokens of every prompt, an end token included. Prompts may differ in length; each result is the
// same, bit for bit, as if its prompt had been alone. For an encoder-decoder, `texts` are read and the
// prompts are the first tokens of the answers.
std::vector<std::vector<int32_t>> generate(const Model& model,
                                           const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerateOptions& options,
                                           const std::vector<std::vector<int32_t>>& texts = {});

struct BeamOptions {
  int64_t beams = 4;
  int64_t max_tokens = 128;
  float length_penalty = 1;      // a hypothesis' log probability is divided by its length to this power
  float repetition_penalty = 1;  // on tokens that occurred, of log probabilities
  bool stops_early = false;      // as soon as as many are finished as there are beams
  std::vector<int32_t> end_tokens;
  TokenRules rules;
};

// The best answer of a beam search: of all beams' continuations the most likely are kept in every step.
std::vector<int32_t> beam_search(const Model& model, const std::vector<int32_t>& prompt,
                                 const BeamOptions& options, const std::vector<int32_t>& text = {});

// Sequences of token ids, packed.
Tokens tokens_of(const std::vector<std::vector<int32_t>>& sequences, const Blueprint& blueprint);

}  // namespace locus
