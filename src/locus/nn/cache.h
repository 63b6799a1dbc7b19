// The KV cache: keys and values of earlier tokens, so that decoding computes each token once. Keys are stored
// before rotation and rotated when they are read. After a pass that threw, the cache is invalid.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "locus/scheme/placement.h"

namespace locus {

class Cache {
 public:
  struct Rows {
    Tensor keys, values;  // [tokens of all sequences, G*D], packed
  };

  // Starts a forward pass: returns the placement of the fresh tokens after the cached ones. The first call
  // fixes the number of sequences.
  Placement begin(const Placement& fresh);
  // Appends a layer's fresh rows to each sequence, once per pass and layer. Returns all rows.
  Rows extend(int64_t layer, const Rows& fresh);

  // Keys and values of cross-attention: set in the first pass, then unchanged.
  bool has_cross_attention(int64_t layer) const;
  void set_cross_attention(int64_t layer, const Rows& rows, const Placement& text);
  const Rows& cross_attention(int64_t layer) const { return cross_attention_.at(static_cast<size_t>(layer)); }
  const Placement& text() const { return *text_; }

  // Keeps these sequences, in this order; a sequence may be repeated.
  void select(std::span<const int64_t> sequences);

 private:
  // The memory may be larger than the rows, so that a single sequence grows without a copy in every pass.
  struct Layer {
    Rows room;
    int64_t filled = 0;
  };
  // For a single sequence: writes the fresh rows after the existing ones.
  void append(Layer& layer, const Rows& fresh) const;
  // For several sequences: copies old and fresh rows of each sequence, in turn, to new memory.
  void interleave(Layer& layer, const Rows& fresh) const;

  std::optional<Placement> placement_;  // of the latest pass; its keys are all cached tokens
  std::vector<int32_t> before_;         // starts of the sequences before that pass
  std::vector<Layer> layers_;
  std::vector<Rows> cross_attention_;
  std::optional<Placement> text_;
};

}  // namespace locus
