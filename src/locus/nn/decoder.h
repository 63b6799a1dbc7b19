// A model in the middle of writing: sequences that grow together, with the keys and values of all before.
// Where a scheme's table changes with the length, all is computed anew when it does: what layers kept was
// computed from states under another table.
#pragma once

#include "locus/nn/model.h"

namespace locus {

class Decoder {
 public:
  // `texts` are what an encoder-decoder reads, one for each sequence; empty for a decoder alone.
  Decoder(const Model& model, const std::vector<std::vector<int32_t>>& texts);

  // Adds tokens to every sequence and returns the logits [B, V] behind the last of each.
  Tensor step(const std::vector<std::vector<int32_t>>& fresh);
  // Goes on with these sequences alone, in this order; one may be taken more than once.
  void select(std::span<const int64_t> sequences);

 private:
  const Model& model_;
  Cache cache_;
  std::vector<std::vector<int32_t>> history_;
  std::optional<Memory> memory_;
};

}  // namespace locus
