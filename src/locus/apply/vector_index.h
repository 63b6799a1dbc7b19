// Searches a file of vectors, for example one that `locus embed --out` wrote, for the rows most similar to
// queries. The search is exhaustive and exact (nearest_rows.h). The file is read in blocks, so it may be
// larger than memory.
//   const VectorIndex index("vectors.npy");
//   const auto found = index.search(embedder.embed_as("query", {"running dogs"}), 10);
//   for (const NearRow& near : found[0]) ...
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "locus/apply/nearest_rows.h"

namespace locus {

class VectorFile;
class VectorTexts;

class VectorIndex {
 public:
  // A .npy or .safetensors file. Opens the texts of the rows, too, if the file next to it exists.
  explicit VectorIndex(const std::filesystem::path& path);
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;
  ~VectorIndex();

  const std::filesystem::path& path() const;
  int64_t rows() const;
  int64_t width() const;  // numbers in a vector

  // For each query its `top` most similar rows, most similar first, ties by row number. Rows count from 0.
  // queries: f32 [queries, width]. Throws if a row has a number that is not finite.
  std::vector<std::vector<NearRow>> search(const Tensor& queries, size_t top) const;

  std::vector<float> vector(int64_t row) const;

  bool has_texts() const { return texts_ != nullptr; }
  std::string text(int64_t row) const;  // that was embedded as this row

 private:
  std::unique_ptr<const VectorFile> vectors_;
  std::unique_ptr<const VectorTexts> texts_;  // nullptr: there are none
};

}  // namespace locus
