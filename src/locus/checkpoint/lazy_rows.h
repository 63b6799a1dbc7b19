// Rows of a table that stay in their file until a text has them. A table of tokens is half of a small model
// and two thirds of one for many languages, and a text has a few rows of it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "locus/checkpoint/tensor_reader.h"
#include "locus/nn/token_table.h"

namespace locus {

class LazyRows final : public RowSource {
 public:
  // Of a matrix whose rows lie in the file as they do in the table.
  LazyRows(std::shared_ptr<const WeightFiles> files, Binding table);

  // An error when the file was changed meanwhile, or a row holds numbers that are not finite.
  void bring(const Tensor& ids) const override;

 private:
  std::vector<int32_t> missing(const Tensor& ids) const;  // in order

  std::shared_ptr<const WeightFiles> files_;
  Binding table_;
  TensorReader reader_;
  mutable std::mutex mutex_;
  mutable std::vector<bool> there_;  // by row
};

}  // namespace locus
