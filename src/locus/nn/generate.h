// Text generation, token by token, by sampling or beam search.
#pragma once

#include <functional>
#include <vector>

#include "locus/nn/generation.h"

namespace locus {

// Called with each new token; if it returns false, that sequence ends.
using OnToken = std::function<bool(int64_t prompt, int32_t token)>;

// The new tokens of every prompt, including the end token. Prompts may differ in length; each result is
// bit-identical to a run with its prompt alone. For an encoder-decoder, `texts` are the encoder inputs and
// the prompts are the first tokens of the decoder.
std::vector<std::vector<int32_t>> generate(const Model& model,
                                           const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerateOptions& options,
                                           const std::vector<std::vector<int32_t>>& texts = {},
                                           const OnToken& on_token = {});

struct BeamOptions {
  int64_t beams = 4;
  int64_t max_tokens = 128;
  float length_penalty = 1;      // scores are log probability / length^length_penalty
  float repetition_penalty = 1;  // applied to the log probabilities of tokens that already occurred
  bool stops_early = false;      // stop as soon as the number of finished hypotheses reaches `beams`
  std::vector<int32_t> end_tokens;
  TokenRules rules;
  // Calls the function that it gets, which runs the model for one token of every beam. Empty: the calling
  // thread runs it.
  std::function<void(const std::function<void()>&)> run = {};
};

// The best hypothesis of a beam search, without the prompt.
std::vector<int32_t> beam_search(const Model& model, const std::vector<int32_t>& prompt,
                                 const BeamOptions& options, const std::vector<int32_t>& text = {});

// Throws Fault::resource if the logits of all beams need more than `available` bytes.
void check_beam_memory(int64_t beams, int64_t vocabulary, int64_t available);

// Sequences of token ids, packed.
Tokens tokens_of(const std::vector<std::vector<int32_t>>& sequences, const Blueprint& blueprint);

}  // namespace locus
