// One forward pass with the interface of transformers: rectangular inputs and outputs under its names. It is
// the entry point for programs and tests; internally tokens are packed.
//
// Locus never computes padding, so hidden states and logits of padding are 0. A label that padding would have
// to predict is an error, and the softmax over answer positions covers the real tokens of a row only.
#pragma once

#include <filesystem>
#include <functional>

#include "locus/checkpoint/model_folder.h"

namespace locus {

struct ForwardInputs {
  Tensor input_ids;                       // i32 [B, T]
  Tensor attention_mask, token_type_ids;  // i32 [B, T] or absent
  Tensor position_ids;                    // i32 [B, T], or f32 holding whole numbers, or absent
  Tensor decoder_input_ids;               // i32 [B, T'] or absent: derived from the labels, or from input_ids
  Tensor labels;                          // i32 [B, T], [B, T'] or [B]; f32 [B] for regression; or absent
  Tensor start_positions, end_positions;  // i32 [B] or absent
};

// Reads a JSON object of lists. Unknown names, rows of different lengths and fractional values are errors.
ForwardInputs read_inputs(const std::filesystem::path& path);

// A model with the rules of its files.
struct ForwardModel {
  Model& model;
  std::vector<Binding> bindings;  // the names and layouts of gradients
  // The id of a special token, by its name in config.json. Throws if there is no such token.
  std::function<int32_t(std::string_view field)> token;
  // For a head that classifies from the last token. Returns the number of tokens up to that token, which is
  // the last one before the padding token, whatever the attention mask. In an encoder-decoder it is the last
  // end-of-sequence token. transformers does the same. Absent: it is the last token of the row.
  std::function<size_t(std::span<const int32_t> ids)> without_padding;
  bool padding_by_id = false, offset_added = false, last_label_starts = false, segments_are_tokens = false,
       packs_by_position = false;  // as in Family
};
ForwardModel forward_model(ModelFolder& folder);

// Returns last_hidden_state [B, T, C]; logits, or start_logits and end_logits; loss, if there are labels; and
// with `gradients`, which requires a loss, grad.NAME for every parameter with a gradient, in the names and
// layout of the checkpoint. NaN or infinity in any of them is an error.
std::vector<NamedTensor> forward(const ForwardModel& model, const ForwardInputs& inputs, bool gradients);
std::vector<NamedTensor> forward(ModelFolder& folder, const ForwardInputs& inputs, bool gradients);

}  // namespace locus
