// Writes a file of vectors and the texts that they embed, row by row:
//   vectors.npy          f32 [rows, width]; or vectors.safetensors with the tensor "embeddings"
//   vectors.npy.jsonl    line i, counted from 0, belongs to row i:
//                        {"row": 0, "text": "The dog ran.", "checksum": "5a2f..."}
// The checksum is that of the row's bytes, so that texts are never shown for vectors of another file.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "locus/base/file.h"

namespace locus {

class VectorWriter {
 public:
  VectorWriter(const std::filesystem::path& path, int64_t width);

  void add(std::span<const float> vector, std::string_view text);
  int64_t rows() const { return rows_; }
  // Both files get their names. Without it, neither appears.
  void commit();

 private:
  std::string header() const;

  bool npy_;
  int64_t width_, rows_ = 0;
  AtomicFile vectors_, texts_;
};

}  // namespace locus
