// A batch of samples, packed one after the other for one forward pass.
#pragma once

#include <vector>

#include "locus/nn/model.h"
#include "locus/train/samples.h"

namespace locus {

struct PackedSamples {
  Tokens tokens, text;           // `text`: the encoder's input of an encoder-decoder
  std::vector<int32_t> targets;  // of all samples, concatenated
};

PackedSamples pack(const std::vector<Sample>& samples, const Blueprint& blueprint);

Var logits_of(const Model& model, const PackedSamples& packed, const ForwardPass& pass = {});

}  // namespace locus
