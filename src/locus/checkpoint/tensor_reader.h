// Reads a tensor of a file into its parameters, some rows at a time. Data in the format and order of the
// model is read in place; everything else goes through a small scratch buffer. Parameters in memory that the
// host cannot write are read into host memory first.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "locus/checkpoint/name_map.h"
#include "locus/checkpoint/stored_type.h"
#include "locus/checkpoint/weight_files.h"

namespace locus {

// The scratch buffer of a thread, for data that cannot be read in place. It is reused for all pieces, because
// fresh memory would cost more than reading.
class Scratch {
 public:
  std::span<std::byte> stored(size_t bytes) { return grown(stored_, stored_size_, bytes); }
  template <class Number>
  std::span<Number> values(size_t count) {
    const std::span<std::byte> bytes = grown(values_, values_size_, count * sizeof(Number));
    return {reinterpret_cast<Number*>(bytes.data()), count};
  }

 private:
  static std::span<std::byte> grown(std::unique_ptr<std::byte[]>& memory, size_t& size, size_t wanted) {
    if (size < wanted) {
      memory = std::make_unique_for_overwrite<std::byte[]>(wanted);
      size = wanted;
    }
    return {memory.get(), wanted};
  }

  std::unique_ptr<std::byte[]> stored_, values_;
  size_t stored_size_ = 0, values_size_ = 0;
};

class TensorReader {
 public:
  // The tensor must exist and have the shape of the binding.
  TensorReader(const WeightFiles& files, const Binding& binding);

  const SafetensorsFile& file() const { return *file_; }
  const std::string& name() const { return entry_->name; }
  int64_t rows() const { return row_count_; }
  uint64_t row_bytes() const { return static_cast<uint64_t>(columns_ * size_of(*entry_->type->dtype)); }

  // Returns whether all numbers are finite. Thread-safe if every thread has its own scratch.
  bool read(int64_t begin, int64_t end, Scratch& scratch) const;
  // After all rows: copies those in host memory to the device of the parameters.
  void finish();

 private:
  template <class Number>
  bool read_as(int64_t begin, int64_t end, Scratch& scratch) const;
  template <class Number>
  void place(int64_t begin, int64_t end, const Number* values) const;
  template <class Number>
  void place_transposed(int64_t begin, int64_t end, const Number* values) const;
  template <class Number>
  void place_square(const Number* from, int64_t first, int64_t rows, int64_t column, int64_t columns) const;
  template <class Number>
  Number* row(int64_t r) const {
    return reinterpret_cast<Number*>(rows_[static_cast<size_t>(r)]);
  }

  const SafetensorsFile* file_;
  const TensorEntry* entry_;
  const Binding* binding_;
  DType dtype_;  // of the parameters
  int64_t row_count_, columns_;
  std::vector<Tensor> memory_;    // of every parameter, or as large and on the host
  std::vector<std::byte*> rows_;  // of this memory
};

}  // namespace locus
