// Searches a file of vectors, for example one that `locus embed --out` wrote, for the rows most similar to
// queries. The search is exhaustive and exact (nearest_rows.h). The file is read in blocks, so it may be
// larger than memory.
//   const VectorIndex index("vectors.npy");
//   const auto found = index.search(embedder.embed_as("query", {"running dogs"}), 10);
//   for (const NearRow& near : found[0]) ...
#pragma once

#include <optional>
#include <vector>

#include "locus/apply/nearest_rows.h"
#include "locus/apply/vector_file.h"
#include "locus/apply/vector_texts.h"

namespace locus {

class VectorIndex {
 public:
  // A .npy or .safetensors file. Opens the texts of the rows, too, if the file next to it exists.
  explicit VectorIndex(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return vectors_.path(); }
  int64_t rows() const { return vectors_.rows(); }
  int64_t width() const { return vectors_.width(); }  // numbers in a vector

  // For each query its `top` most similar rows, most similar first; of equal ones, the lower row first. Rows
  // count from 0. queries: f32 [queries, width]. Throws if a row has a number that is not finite.
  std::vector<std::vector<NearRow>> search(const Tensor& queries, size_t top) const;

  std::vector<float> vector(int64_t row) const;

  bool has_texts() const { return texts_.has_value(); }
  std::string text(int64_t row) const;  // that was embedded as this row

 private:
  VectorFile vectors_;
  std::optional<VectorTexts> texts_;
};

}  // namespace locus
