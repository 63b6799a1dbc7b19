// Tables whose rows depend on the position only, such as sines and cosines of angles. They are computed when
// first needed and cached for later passes.
//
// Some rows also depend on their sequence, for example through a scaling by its length. Then each sequence
// has a variant, a number that selects its rows. Variants never mix, so the other sequences of a batch have
// no influence.
//
// If the largest position is not far beyond the number of tokens, the table covers all positions from 0 up to
// a power of two. This dense table is cached for variants 0 and 1. Scattered positions, several variants in
// one batch, and variants from 2 on get a table with only the rows they need, computed in each pass.
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
  // Writes the row of a position: `tables` consecutive pieces of `width` numbers, one piece per table
  // (cosines, then sines, for example).
  using Row = std::function<void(int64_t position, std::span<float> row)>;
  using RowOfVariant = std::function<Row(int64_t variant)>;

  // The host can read the tables if it can read memory of the device; otherwise they are on the device.
  PositionTable(int64_t tables, int64_t width, RowOfVariant rows, Device device = Device::cpu);

  struct Found {
    std::vector<Tensor> tables;    // f32 [R, width] each
    Indices query_rows, key_rows;  // [Nq], [Nk]: each token's row in the tables
  };
  // `variants` has one number per sequence; empty: 0 for all.
  Found find(const Placement& placement, std::span<const int64_t> variants = {}) const;

 private:
  std::vector<Tensor> dense(int64_t variant, int64_t rows) const;
  Found scattered(const Placement& placement, std::span<const int64_t> variants) const;
  std::vector<Tensor> empty(int64_t rows) const;
  void take_to_device(std::vector<Tensor>& tables) const;

  int64_t width_;
  size_t count_;  // of tables
  RowOfVariant rows_;
  Device device_;
  mutable std::mutex mutex_;  // guards dense_
  mutable std::array<std::vector<Tensor>, 2> dense_;
};

}  // namespace locus
