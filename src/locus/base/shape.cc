#include "locus/base/shape.h"

#include <algorithm>

#include "locus/base/checked.h"

namespace locus {

Shape::Shape(std::initializer_list<int64_t> sizes)
    : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const int64_t> sizes) {
  require(sizes.size() <= kMaxRank, Code::bad_shape, "shape has rank {}, expected at most {}", sizes.size(),
          kMaxRank);
  rank_ = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  // Check the product of the non-zero sizes, so that [0, 2^62, 4] fails like [1, 2^62, 4].
  int64_t nonzero = 1;
  for (int64_t size : sizes) {
    require(size >= 0, Code::bad_shape, "shape {} has size {}, expected 0 or more", *this, size);
    nonzero = checked_multiply(nonzero, size == 0 ? 1 : size, "product of the sizes of a shape");
  }
  for (int i = 0; i + 1 < rank_; ++i) rows_ *= sizes_[i];
  numel_ = rows_ * cols();
}

int64_t Shape::operator[](int axis) const {
  const int from_start = axis < 0 ? axis + rank_ : axis;
  require(from_start >= 0 && from_start < rank_, Code::bad_shape, "shape {} has no axis {}", *this, axis);
  return sizes_[from_start];
}

Shape Shape::with_last(int64_t size) const {
  require(rank_ > 0, Code::bad_shape, "shape [] has no last size to replace with {}", size);
  std::array<int64_t, kMaxRank> sizes = sizes_;
  sizes[rank_ - 1] = size;
  return Shape(std::span<const int64_t>(sizes.data(), static_cast<size_t>(rank_)));
}

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(sizes(), ", ")); }

bool Shape::operator==(const Shape& other) const { return std::ranges::equal(sizes(), other.sizes()); }

}  // namespace locus
