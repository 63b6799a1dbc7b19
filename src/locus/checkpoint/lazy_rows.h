// Lazily loaded rows of a table: they stay in their file until first use. Token embeddings are half of a
// small model and two thirds of a multilingual one, and a text uses only a few of their rows.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "locus/checkpoint/tensor_reader.h"
#include "locus/nn/token_table.h"

namespace locus {

class LazyRows final : public RowSource {
 public:
  // The matrix must be stored in the file row by row, as in the table.
  LazyRows(std::shared_ptr<const WeightFiles> files, Binding table);

  // Throws if the file was modified since it was opened, or if a row contains NaN or infinity.
  void load(const Indices& ids) const override;

 private:
  std::vector<int32_t> missing(const Indices& ids) const;  // sorted, without duplicates

  std::shared_ptr<const WeightFiles> files_;
  Binding table_;
  TensorReader reader_;
  mutable std::mutex mutex_;
  mutable std::vector<bool> loaded_;  // by row
};

}  // namespace locus
