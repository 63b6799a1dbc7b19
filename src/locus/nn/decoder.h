// Incremental decoding: several sequences that grow together, with a KV cache. If the tables of a scheme
// change with the length (some context extensions), the cache is discarded and everything is computed
// again, because the cached values were computed with other tables.
#pragma once

#include "locus/nn/model.h"

namespace locus {

class Decoder {
 public:
  // `texts` are the encoder inputs of an encoder-decoder, one per sequence; empty for a decoder-only model.
  Decoder(const Model& model, const std::vector<std::vector<int32_t>>& texts);

  // Appends tokens to every sequence and returns the logits [B, V] after the last token of each.
  Tensor step(const std::vector<std::vector<int32_t>>& fresh);
  // Continues with these sequences only, in this order; a sequence may be repeated.
  void select(std::span<const int64_t> sequences);

 private:
  const Model& model_;
  Cache cache_;
  std::vector<std::vector<int32_t>> history_;
  std::optional<Memory> memory_;
};

}  // namespace locus
