// The sizes of a tensor, outermost first. The constructor checks that no size is negative and that their
// product does not overflow, so numel() is always correct.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace locus {

class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;  // rank 0: a single number
  Shape(std::initializer_list<int64_t> sizes);
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return rank_; }
  int64_t numel() const { return numel_; }
  // A negative axis counts from the end: -1 is the last.
  int64_t operator[](int axis) const;
  // Kernels see a tensor as rows() x cols(): the product of all sizes but the last, and the last size (1 at
  // rank 0).
  int64_t rows() const { return rows_; }
  int64_t cols() const { return rank_ == 0 ? 1 : sizes_[rank_ - 1]; }

  Shape with_last(int64_t size) const;  // the same shape with this last size
  std::span<const int64_t> sizes() const { return {sizes_.data(), static_cast<size_t>(rank_)}; }
  // "[2, 3]". Pass the shape itself to an error, so that the text is created only if the check fails.
  std::string text() const;

  bool operator==(const Shape& other) const;

 private:
  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
  int64_t numel_ = 1;
  int64_t rows_ = 1;
};

}  // namespace locus

template <>
struct fmt::formatter<locus::Shape> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const locus::Shape& shape, Context& context) const {
    return formatter<std::string>::format(shape.text(), context);
  }
};
