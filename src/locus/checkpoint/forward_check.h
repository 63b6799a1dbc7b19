// Checks of the inputs and outputs of a forward pass. An input that transformers and Locus would read
// differently is an error.
#pragma once

#include "locus/checkpoint/forward.h"

namespace locus {

// Whether the decoder generates text. Otherwise it reads the same text as the encoder, to classify it.
bool generates(const Blueprint& blueprint);
// Combinations such as learned+t5 (MPNet): table rows count real tokens, distances are between columns.
bool uses_rows_and_distances(const Blueprint& blueprint);

// Shapes, and the ids of tokens and segments.
void check_inputs(const ForwardModel& model, const ForwardInputs& inputs);
// Without an attention mask, transformers reads position_ids that do not increase by one from token to token
// as packed sequences, whose tokens do not see each other. Locus has one sequence per row.
void check_one_sequence(const ForwardModel& model, const ForwardInputs& inputs);
// The ids that the decoder of an encoder-decoder reads.
void check_decoder_ids(const ForwardModel& model, const ForwardInputs& inputs, const Tensor& decoder_ids);
// Outputs with NaN or infinity are an error.
void check_finite(const std::vector<NamedTensor>& outputs);

}  // namespace locus
