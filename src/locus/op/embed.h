// The input of a model: token rows, an input term, segment rows, then norm and dropout, in one pass.
#pragma once

#include <optional>

#include "locus/base/random.h"
#include "locus/op/terms.h"

namespace locus::op {

struct EmbedOptions {
  float token_scale = 1;      // on the token rows
  int32_t frozen_token = -1;  // the padding token's row gets no gradient
  int32_t frozen_row = -1;    // likewise of the input term's table
  Var segments;               // [S, C]; with segment_ids
  Tensor segment_ids;         // i32 [N]
  Var gamma, beta;            // [C]; no gamma: no norm
  float eps = 0;
  bool rms = false;  // RMS norm in place of layer norm; then no beta
  float dropout = 0;
  Random random{0, 0};
};

// tokens [V, K], ids i32 [N]: [N, C]. C is K, or K + the input term's width when it is joined on behind the
// token row; segments are added to the whole of it. Tokens may be bf16: then no gradient flows.
Var embed(const Var& tokens, const Tensor& ids, const std::optional<InputTerm>& input,
          const EmbedOptions& options);

}  // namespace locus::op
