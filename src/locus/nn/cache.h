// Keys and values of tokens seen before, so that decoding computes each token once. Keys are kept as
// projected and rotated when they are read. A pass that throws leaves it of no use.
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

  // The fresh tokens behind what is there: the placement of the pass that is about to start. At first there
  // is nothing, and any number of sequences; then it stays.
  Placement begin(const Placement& fresh);
  // Puts a layer's fresh rows behind each sequence's own, once per pass and layer; returns all.
  Rows extend(int64_t layer, const Rows& fresh);

  // What attention across to another text reads: set in the first pass, the same in every other.
  bool has_across(int64_t layer) const;
  void set_across(int64_t layer, const Rows& rows, const Placement& text);
  const Rows& across(int64_t layer) const { return across_.at(static_cast<size_t>(layer)); }
  const Placement& text() const { return *text_; }

  // Keeps these sequences, in this order; one may be taken more than once.
  void select(std::span<const int64_t> sequences);

 private:
  // Rows in memory that may be larger, so that one sequence grows without being copied every time.
  struct Layer {
    Rows room;
    int64_t filled = 0;
  };
  // One sequence: behind the rows there are. Several: everything moves to new memory.
  void append(Layer& layer, const Rows& fresh) const;
  void weave(Layer& layer, const Rows& fresh) const;

  std::optional<Placement> placement_;  // of the latest pass: its keys are all there is
  std::vector<int32_t> before_;         // where sequences started before that pass
  std::vector<Layer> layers_;
  std::vector<Rows> across_;
  std::optional<Placement> text_;
};

}  // namespace locus
