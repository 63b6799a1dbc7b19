// One array in NumPy's .npy format:
//   \x93NUMPY | u8 major, u8 minor | N: u16, or u32 since version 2 | N bytes of header | the numbers
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// A file is checked completely when it is opened, before memory is allocated for its numbers.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "locus/base/dtype.h"
#include "locus/base/file.h"
#include "locus/base/shape.h"

namespace locus {

class NpyFile {
 public:
  // Arrays of f16, f32 or f64, little-endian, in C order. Everything else is an error.
  explicit NpyFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  // Reads part of the bytes of the numbers. Thread-safe.
  void read_part(uint64_t offset, std::span<std::byte> bytes) const;
  void require_unchanged() const {
    file_.require_unchanged();
  }  // throws if the file changed since it was opened

 private:
  InputFile file_;
  Shape shape_;
  DType dtype_ = DType::f32;
  uint64_t data_begin_ = 0;
};

// The bytes before the numbers of an f32 array [rows, columns]. They are kNpyHeaderBytes for any sizes, so
// that a writer can add them when it knows the number of rows.
inline constexpr size_t kNpyHeaderBytes = 128;
std::string npy_header(int64_t rows, int64_t columns);

}  // namespace locus
