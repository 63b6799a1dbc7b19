// The KV cache: keys and values of earlier tokens, so that decoding computes each token once. Keys are stored
// rotated. Every sequence has rooms of its own that grow, so a token costs the same in any batch, and
// sequences join and leave between passes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "locus/op/key_room.h"
#include "locus/scheme/placement.h"

namespace locus {

class Cache {
 public:
  // A forward pass over fresh tokens.
  struct Pass {
    Placement placement;             // of the fresh tokens, after the cached ones
    std::optional<Placement> cross;  // the same with the encoder texts as keys
  };

  explicit Cache(int64_t sequences = 0) : sequences_(static_cast<size_t>(sequences)) {}
  void add() { sequences_.emplace_back(); }  // a new sequence, the last one

  // Starts a pass. `texts` are those of all sequences without a text, in order; nullptr for a model without
  // cross-attention.
  Pass begin(const Placement& fresh, const Placement* texts);
  // Ends it: from now on the fresh tokens are cached. A pass that throws before that caches nothing.
  void end();

  // Appends a layer's fresh rows [n, G*D] to each sequence, once per pass and layer. Returns the rooms of all
  // sequences.
  std::vector<op::KeyRoom> extend(int64_t layer, const Tensor& keys, const Tensor& values, int64_t key_heads);
  // The same for the rows of the texts of this pass, which later passes use as they are.
  void add_texts(int64_t layer, const Tensor& keys, const Tensor& values, int64_t key_heads);
  bool awaits_texts() const { return texts_ && texts_->queries() > 0; }
  std::vector<op::KeyRoom> texts(int64_t layer) const;

  int64_t count() const { return std::ssize(sequences_); }
  int64_t length(int64_t sequence) const;  // cached tokens
  bool has_text(int64_t sequence) const;
  // Keeps only the first `length` tokens of a sequence. Its encoder text stays.
  void truncate(int64_t sequence, int64_t length);
  // Keeps these sequences, in this order. A sequence may be repeated; each repetition is a copy.
  void select(std::span<const int64_t> sequences);

 private:
  struct Sequence {
    std::vector<int32_t> positions;          // of the cached tokens
    std::vector<op::KeyRoom> layers, texts;  // of every layer
    std::optional<int64_t> text_length;      // of a text that is cached
  };
  Sequence copy_of(const Sequence& sequence) const;

  std::vector<Sequence> sequences_;
  std::optional<Placement> placement_;  // of the current pass
  std::optional<Placement> texts_;      // the texts of that pass
};

}  // namespace locus
