// Incremental decoding: sequences that grow, join and leave, with a KV cache. If the tables of a scheme
// change with the length (some context extensions), the cached tokens of a sequence are discarded and
// computed again, because they were computed with other tables.
#pragma once

#include "locus/nn/model.h"

namespace locus {

class Decoder {
 public:
  explicit Decoder(const Model& model);

  // Adds a sequence, the last one. An encoder-decoder needs the text for its encoder.
  void add(const std::vector<int32_t>& text = {});
  int64_t count() const { return std::ssize(sequences_); }

  // Appends tokens to every sequence, at least one, and returns the logits [B, V] after the last token of
  // each, in the memory of the host. A prompt and single tokens may be in one step. If it throws, nothing has
  // changed.
  Tensor step(const std::vector<std::vector<int32_t>>& fresh);
  // Takes back the tokens of the latest step.
  void undo();
  // Continues with these sequences only, in this order; a sequence may be repeated.
  void select(std::span<const int64_t> sequences);

 private:
  struct Sequence {
    std::vector<int32_t> text, tokens;
    size_t before = 0;                              // number of tokens before the latest step
    std::pair<int64_t, int64_t> variants = {0, 0};  // of the tables of the cached tokens
  };
  std::pair<int64_t, int64_t> variants(const Sequence& sequence) const;
  Tensor run();
  Memory new_texts() const;

  const Model& model_;
  Cache cache_;
  std::vector<Sequence> sequences_;
};

}  // namespace locus
