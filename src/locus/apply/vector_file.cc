#include "locus/apply/vector_file.h"

#include <cstring>

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

float as_f32(float x) { return x; }
float as_f32(double x) { return static_cast<float>(x); }
template <class Half>
float as_f32(Half x) {
  return to_f32(x);
}

const TensorEntry& embeddings_in(const SafetensorsFile& file) {
  if (file.has(kEmbeddings)) return file.entry(kEmbeddings);
  require(file.entries().size() == 1,
          "'{}' has {} tensors and none is named '{}', expected one of that name, or one tensor",
          file.path().string(), file.entries().size(), kEmbeddings);
  return file.entries().front();
}

}  // namespace

bool is_vector_file(const std::filesystem::path& path) {
  return path.extension() == ".npy" || path.extension() == ".safetensors";
}

VectorFile::VectorFile(const std::filesystem::path& path) {
  if (!is_vector_file(path)) {
    fail(Fault::usage,
         "cannot read vectors from '{}', expected a file name that ends in .npy or .safetensors",
         path.string());
  }
  Shape shape;
  if (path.extension() == ".npy") {
    npy_ = std::make_unique<NpyFile>(path);
    shape = npy_->shape();
    dtype_ = npy_->dtype();
  } else {
    tensors_ = std::make_unique<SafetensorsFile>(path);
    entry_ = &embeddings_in(*tensors_);
    shape = tensors_->shape(entry_->name);
    dtype_ = tensors_->dtype(entry_->name);
  }
  require(shape.rank() == 2 && shape.cols() > 0, Code::bad_shape,
          "'{}': the array has the shape {}, expected [rows, numbers in a row]", path.string(), shape);
  require(is_float(dtype_), Code::bad_shape,
          "'{}': the array has the type {}, expected floating-point numbers", path.string(), name_of(dtype_));
  rows_ = shape[0];
  width_ = shape[1];
}

void VectorFile::read_bytes(int64_t begin, std::span<std::byte> bytes) const {
  const auto offset = static_cast<uint64_t>(begin * width_ * size_of(dtype_));
  npy_ ? npy_->read_part(offset, bytes) : tensors_->read_part(*entry_, offset, bytes);
}

void VectorFile::read(int64_t begin, std::span<float> rows, std::vector<std::byte>& scratch) const {
  if (dtype_ == DType::f32) return read_bytes(begin, std::as_writable_bytes(rows));
  scratch.resize(rows.size() * static_cast<size_t>(size_of(dtype_)));
  read_bytes(begin, scratch);
  visit_float(dtype_, [&]<class Number>(Number) {
    for (size_t i = 0; i < rows.size(); ++i) {
      Number value;
      std::memcpy(&value, scratch.data() + i * sizeof value, sizeof value);
      rows[i] = as_f32(value);
    }
  });
}

std::vector<std::byte> VectorFile::bytes_of_row(int64_t row) const {
  std::vector<std::byte> bytes(static_cast<size_t>(width_ * size_of(dtype_)));
  read_bytes(row, bytes);
  return bytes;
}

void VectorFile::require_unchanged() const {
  npy_ ? npy_->require_unchanged() : tensors_->require_unchanged();
}

}  // namespace locus
