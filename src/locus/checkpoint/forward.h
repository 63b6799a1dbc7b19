// One forward pass as transformers makes it: rectangular inputs under its names in, its outputs under its
// names out. The door for programs and tests; inside, as always, tokens are packed.
//
// Where a rectangle holds padding, hidden states and logits of padding are 0: Locus never computes them. So a
// label that padding would have to predict is refused, and the softmax of an answer's start and end runs over
// the real tokens of a row.
#pragma once

#include <filesystem>

#include "locus/checkpoint/model_folder.h"

namespace locus {

struct ForwardInputs {
  Tensor input_ids;                       // i32 [B, T]
  Tensor attention_mask, token_type_ids;  // i32 [B, T] or absent
  Tensor position_ids;                    // i32 [B, T], or f32 holding whole numbers, or absent
  Tensor decoder_input_ids;  // i32 [B, T'] or absent: made from the labels, or the text that has them
  Tensor labels;             // i32 [B, T], [B, T'] or [B]; f32 [B] for regression; or absent
  Tensor start_positions, end_positions;  // i32 [B] or absent
};

// From a JSON object of lists; names it does not know, rows of different lengths and values that are no whole
// numbers are refused.
ForwardInputs read_inputs(const std::filesystem::path& path);

// last_hidden_state [B, T, C]; logits, or start_logits and end_logits; loss when there are labels; and when
// `gradients` are wanted, which needs a loss, grad.NAME for every parameter that has one, in the checkpoint's
// names and layout.
std::vector<NamedTensor> forward(ModelFolder& folder, const ForwardInputs& inputs, bool gradients);

}  // namespace locus
