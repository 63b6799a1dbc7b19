// A file of vectors, one per row: an array [rows, width] in a .npy or .safetensors file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "locus/checkpoint/npy.h"
#include "locus/checkpoint/safetensors.h"

namespace locus {

// The tensor of a .safetensors file of vectors.
inline constexpr const char* kEmbeddings = "embeddings";

bool is_vector_file(const std::filesystem::path& path);  // by its name: .npy or .safetensors

// Reads rows of f32, f16, bf16 or f64 as f32. The file may be larger than memory.
class VectorFile {
 public:
  // A .safetensors file must hold a tensor named "embeddings", or a single tensor.
  explicit VectorFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return npy_ ? npy_->path() : tensors_->path(); }
  int64_t rows() const { return rows_; }
  int64_t width() const { return width_; }  // numbers in a row

  // The rows from `begin` on, as many as fit. Thread-safe if every thread has its own scratch memory.
  void read(int64_t begin, std::span<float> rows, std::vector<std::byte>& scratch) const;
  // The bytes of a row as stored.
  std::vector<std::byte> bytes_of_row(int64_t row) const;
  void require_unchanged() const;

 private:
  void read_bytes(int64_t begin, std::span<std::byte> bytes) const;

  std::unique_ptr<const NpyFile> npy_;
  std::unique_ptr<const SafetensorsFile> tensors_;
  const TensorEntry* entry_ = nullptr;  // of tensors_
  DType dtype_ = DType::f32;
  int64_t rows_ = 0, width_ = 0;
};

}  // namespace locus
