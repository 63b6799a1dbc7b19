// Samples made ready for one pass of a model, packed one after the other.
#pragma once

#include <vector>

#include "locus/nn/model.h"
#include "locus/train/samples.h"

namespace locus {

struct PackedSamples {
  Tokens tokens, text;           // `text` is what an encoder-decoder's encoder reads
  std::vector<int32_t> targets;  // of all samples
};

PackedSamples pack(const std::vector<Sample>& samples, const Blueprint& blueprint);

// What the head says to them.
Var logits_of(const Model& model, const PackedSamples& packed, const ForwardPass& pass = {});

}  // namespace locus
