// Rows of numbers that follow from a position alone, as sines and angles do: computed when they are first
// needed and kept for the next pass.
//
// Some rows also depend on their sequence (a scaling that looks at its length). Then each sequence has a
// variant, a number that says which rows it needs; variants never mix, so batch mates change nothing.
//
// The usual positions, not far past the number of tokens, use a table from 0 up to a power of two; it is kept
// for variants 0 and 1 and made once. Scattered positions, several variants in one batch, and variants from 2
// on get a table of just their rows, made for each pass.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "locus/scheme/placement.h"

namespace locus {

class PositionTable {
 public:
  // Writes the row of a position: `parts` pieces of `width` numbers, one behind the other.
  using Row = std::function<void(int64_t position, std::span<float> row)>;
  using RowOfVariant = std::function<Row(int64_t variant)>;

  PositionTable(int64_t parts, int64_t width, RowOfVariant rows);

  struct Found {
    std::vector<Tensor> parts;    // f32 [R, width] each
    Tensor query_rows, key_rows;  // i32 [Nq], [Nk]: each token's row
  };
  // `variants` has a number for every sequence; none given: 0 for all.
  Found find(const Placement& placement, std::span<const int64_t> variants = {}) const;

 private:
  std::vector<Tensor> kept(int64_t variant, int64_t rows) const;
  Found scattered(const Placement& placement, std::span<const int64_t> variants) const;
  std::vector<Tensor> empty(int64_t rows) const;

  int64_t width_;
  size_t parts_;
  RowOfVariant rows_;
  mutable std::mutex mutex_;  // of kept_
  mutable std::array<std::vector<Tensor>, 2> kept_;
};

}  // namespace locus
