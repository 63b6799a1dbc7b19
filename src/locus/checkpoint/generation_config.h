// generation_config.json: how the makers of a model would have it write. Where the file is not there,
// config.json has the tokens, as old folders do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/checkpoint/model_folder.h"
#include "locus/nn/sampling.h"
#include "locus/nn/token_rules.h"

namespace locus {

struct GenerationConfig {
  std::vector<int32_t> end_tokens;
  int32_t start_token = -1;        // of an encoder-decoder's answers, else of texts; -1: none
  int64_t max_tokens = 0;          // new ones; 0: not said
  int64_t max_length = 0;          // prompt and new ones together; 0: not said
  TokenRules rules;                // banned: bad words of one token, and suppressed ones; ends: end_tokens
  Sampling sampling;               // temperature 0 unless it says do_sample
  int64_t beams = 0;               // 1: no beam search; 0: not said
  float length_penalty = 1;        // of beam search
  bool stops_early = false;        // of beam search: early_stopping
  std::vector<std::string> unmet;  // settings that would change the text and that Locus does not have
};

GenerationConfig read_generation(const ModelFolder& folder);

}  // namespace locus
