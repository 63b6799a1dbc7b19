// The input embedding of a model in one pass: token rows, an input term and segment rows, then norm and
// dropout.
#pragma once

#include <optional>

#include "locus/base/random.h"
#include "locus/op/terms.h"

namespace locus::op {

struct EmbedOptions {
  float token_scale = 1;      // multiplies the token rows
  int32_t frozen_token = -1;  // the padding token's row gets no gradient
  int32_t frozen_row = -1;    // this row of the input term's table gets no gradient
  Var segments;               // [S, C]; requires segment_ids
  Indices segment_ids;        // [N]
  Var gamma, beta;            // [C]; no gamma: no norm
  float eps = 0;
  bool rms = false;   // RMS norm instead of layer norm; excludes beta
  bool bf16 = false;  // the result is bf16, and its gradient; tables and norm stay f32
  float dropout = 0;
  Random random{0, 0};
};

// tokens [V, K], ids [N]. Result [N, C], where C is K, or K + the width of the input term if that is
// concatenated after the token row. Segments are added to all C columns. Tokens may be bf16: then no gradient
// flows.
Var embed(const Var& tokens, const Indices& ids, const std::optional<InputTerm>& input,
          const EmbedOptions& options);

}  // namespace locus::op
