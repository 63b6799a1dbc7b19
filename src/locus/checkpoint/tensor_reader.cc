#include "locus/checkpoint/tensor_reader.h"

#include <algorithm>
#include <cstring>

#include "locus/base/half.h"

namespace locus {
namespace {

// 0 times a finite number is 0; 0 times infinity or NaN is NaN. Several sums let the compiler vectorize.
bool all_finite(std::span<const float> values) {
  constexpr size_t kSums = 16;
  float sums[kSums] = {};
  const size_t whole = values.size() / kSums * kSums;
  for (size_t i = 0; i < whole; i += kSums) {
    for (size_t k = 0; k < kSums; ++k) sums[k] += values[i + k] * 0.0f;
  }
  for (size_t i = whole; i < values.size(); ++i) sums[0] += values[i] * 0.0f;
  return std::ranges::all_of(sums, [](float sum) { return sum == 0; });
}

bool all_finite(std::span<const uint16_t> bf16) {
  constexpr unsigned kExponent = 0x7f80;
  return std::ranges::none_of(bf16, [](unsigned bits) { return (bits & kExponent) == kExponent; });
}

float to_float(float value) { return value; }
float to_float(double value) { return static_cast<float>(value); }
float to_float(Bf16 value) { return to_f32(value); }
float to_float(F16 value) { return to_f32(value); }

// The value as the model stores it: f32, or the bits of bf16.
template <class Number, class T>
Number to_number(T value) {
  if constexpr (std::is_same_v<Number, float>) {
    return to_float(value);
  } else {
    return to_bf16(to_float(value)).bits;
  }
}

}  // namespace

TensorReader::TensorReader(const WeightFiles& files, const Binding& binding)
    : file_(files.find(binding.tensor)),
      entry_(&file_->entry(binding.tensor)),
      binding_(&binding),
      dtype_(binding.parameters[0].value().dtype()) {
  const Shape shape = binding.shape();
  row_count_ = shape[0];
  columns_ = row_count_ == 0 ? 0 : shape.numel() / row_count_;
  const int64_t bytes = binding.columns() * size_of(dtype_);
  rows_.reserve(static_cast<size_t>(binding.rows()));
  for (const Var& parameter : binding.parameters) {
    const Tensor& value = parameter.value();
    memory_.push_back(on_host(value.device()) ? value : Tensor::empty(value.shape(), dtype_));
    std::byte* row = memory_.back().view().data;
    const int64_t count = value.size(0);
    for (int64_t r = 0; r < count; ++r) rows_.push_back(row + r * bytes);
  }
}

bool TensorReader::read(int64_t begin, int64_t end, Scratch& scratch) const {
  return dtype_ == DType::bf16 ? read_as<uint16_t>(begin, end, scratch) : read_as<float>(begin, end, scratch);
}

void TensorReader::finish() {
  for (size_t i = 0; i < memory_.size(); ++i) {
    Tensor value = binding_->parameters[i].value();
    if (!on_host(value.device())) value.copy_from(memory_[i]);
    memory_[i] = {};
  }
}

template <class Number>
bool TensorReader::read_as(int64_t begin, int64_t end, Scratch& scratch) const {
  const uint64_t offset = static_cast<uint64_t>(begin) * row_bytes();
  const auto numbers = static_cast<size_t>((end - begin) * columns_);
  if (binding_->is_plain() && entry_->type->dtype == dtype_) {
    const std::span<Number> to(reinterpret_cast<Number*>(rows_[0]) + begin * columns_, numbers);
    file_->read_part(*entry_, offset, std::as_writable_bytes(to));
    return all_finite(to);
  }
  const std::span<std::byte> stored = scratch.stored(static_cast<size_t>(end - begin) * row_bytes());
  file_->read_part(*entry_, offset, stored);
  const std::span<const Number> values =
      visit_float(*entry_->type->dtype, [&]<class T>(T) -> std::span<const Number> {
        const std::span<const T> from(reinterpret_cast<const T*>(stored.data()), numbers);
        if constexpr (std::is_same_v<T, Number>) {
          return from;
        } else {
          const std::span<Number> to = scratch.values<Number>(numbers);
          std::ranges::transform(from, to.begin(), [](T value) { return to_number<Number>(value); });
          return to;
        }
      });
  place(begin, end, values.data());
  return all_finite(values);
}

template <class Number>
void TensorReader::place(int64_t begin, int64_t end, const Number* values) const {
  const int64_t width = columns_;
  if (binding_->layout.transposed && binding_->parameters[0].shape().rank() == 2) {
    place_transposed(begin, end, values);
    return;
  }
  for (int64_t r = begin; r < end; ++r, values += width) {
    std::copy_n(values, width, row<Number>(binding_->layout.one_row ? 0 : binding_->row(r)));
  }
}

// In tiles of one cache line squared, two side by side, so that each cache line is used completely while
// cached.
template <class Number>
void TensorReader::place_transposed(int64_t begin, int64_t end, const Number* values) const {
  constexpr int64_t kLine = 16;
  const int64_t width = columns_;
  for (int64_t column = 0; column < width; column += 2 * kLine) {
    const int64_t last_column = std::min(column + 2 * kLine, width);
    for (int64_t row = begin; row < end; row += kLine) {
      const int64_t last_row = std::min(row + kLine, end);
      for (int64_t c = column; c < last_column; c += 4) {
        for (int64_t r = row; r < last_row; r += 4) {
          place_square(values + (r - begin) * width + c, r, std::min<int64_t>(last_row - r, 4), c,
                       std::min<int64_t>(last_column - c, 4));
        }
      }
    }
  }
}

// Transposes a block of 4 x 4 at `from` in registers, which takes half the time of copying single numbers.
// Blocks at the ends may be smaller.
template <class Number>
void TensorReader::place_square(const Number* from, int64_t first, int64_t rows, int64_t column,
                                int64_t columns) const {
  const int64_t width = columns_;
  if (rows < 4 || columns < 4) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) row<Number>(column + c)[first + r] = from[r * width + c];
    }
    return;
  }
  using Four [[gnu::vector_size(4 * sizeof(Number))]] = Number;
  Four in[4];
  for (int64_t r = 0; r < 4; ++r) std::memcpy(&in[r], from + r * width, sizeof(Four));
  const Four even_low = __builtin_shufflevector(in[0], in[2], 0, 4, 1, 5);
  const Four even_high = __builtin_shufflevector(in[0], in[2], 2, 6, 3, 7);
  const Four odd_low = __builtin_shufflevector(in[1], in[3], 0, 4, 1, 5);
  const Four odd_high = __builtin_shufflevector(in[1], in[3], 2, 6, 3, 7);
  const Four out[4] = {__builtin_shufflevector(even_low, odd_low, 0, 4, 1, 5),
                       __builtin_shufflevector(even_low, odd_low, 2, 6, 3, 7),
                       __builtin_shufflevector(even_high, odd_high, 0, 4, 1, 5),
                       __builtin_shufflevector(even_high, odd_high, 2, 6, 3, 7)};
  for (int64_t c = 0; c < 4; ++c) std::memcpy(row<Number>(column + c) + first, &out[c], sizeof(Four));
}

}  // namespace locus
