// generation_config.json: the generation settings that come with a model. If the file is missing, they are
// read from config.json, as in older folders.
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
  int32_t start_token = -1;  // first decoder token of an encoder-decoder, else first token of texts; -1: none
  int64_t max_tokens = 0;    // maximum number of new tokens; 0: not set
  int64_t max_length = 0;    // maximum number of tokens, prompt included; 0: not set
  TokenRules rules;          // banned: suppress_tokens, and bad_words_ids of one token; ends: end_tokens
  Sampling sampling;         // temperature 0 unless do_sample is set
  int64_t beams = 0;         // 1: no beam search; 0: not set
  float length_penalty = 1;  // of beam search
  bool stops_early = false;  // early_stopping of beam search
  std::vector<std::string>
      unsupported;  // settings that would change the text and that Locus does not support
};

GenerationConfig read_generation(const ModelFolder& folder);
GenerationConfig read_generation(const std::filesystem::path& folder, const Config& config,
                                 const Blueprint& b);

}  // namespace locus
