// Conversion between rectangular and packed tensors.
#include <cstring>

#include "locus/scheme/placement.h"

namespace locus {
namespace {

// Bytes per token in a tensor whose first `lead` axes index tokens.
int64_t token_bytes(const Tensor& tensor, int lead) {
  int64_t bytes = size_of(tensor.dtype());
  for (const int64_t size : tensor.shape().sizes().subspan(lead)) bytes *= size;
  return bytes;
}

std::byte* bytes_of(const Tensor& tensor) {
  require(tensor.contiguous(), Code::bad_shape,
          "Placement: a tensor of shape {} is not contiguous, expected a contiguous one (see clone())",
          tensor.shape());
  return tensor.view().data;
}

}  // namespace

Tensor Placement::pack(const Tensor& rectangle) const {
  require(columns_.has_value(), "Placement::pack: the placement was not made from a rectangle");
  const Shape& shape = rectangle.shape();
  require(shape.rank() >= 2 && shape[0] == count() && shape[1] == *columns_, Code::bad_shape,
          "Placement::pack: tensor has shape {}, expected [{}, {}, ..]", shape, count(), *columns_);
  std::vector<int64_t> sizes(shape.sizes().begin() + 1, shape.sizes().end());
  sizes[0] = queries();
  const Tensor packed = rectangle.like(Shape(std::span<const int64_t>(sizes)));
  const int64_t bytes = token_bytes(rectangle, 2);
  const std::byte* from = bytes_of(rectangle);
  std::byte* to = bytes_of(packed);
  for (size_t n = 0; n < source_.size(); ++n) {
    std::memcpy(to + static_cast<int64_t>(n) * bytes, from + source_[n] * bytes, static_cast<size_t>(bytes));
  }
  return packed;
}

Tensor Placement::unpack(const Tensor& packed, float fill) const {
  require(columns_.has_value(), "Placement::unpack: the placement was not made from a rectangle");
  const Shape& shape = packed.shape();
  require(shape.rank() >= 1 && shape.rank() < Shape::kMaxRank && shape[0] == queries(), Code::bad_shape,
          "Placement::unpack: tensor has shape {}, expected [{}, ..]", shape, queries());
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes[0] = *columns_;
  sizes.insert(sizes.begin(), count());
  const Tensor rectangle =
      Tensor::full(Shape(std::span<const int64_t>(sizes)), fill, packed.dtype(), packed.device());
  const int64_t bytes = token_bytes(packed, 1);
  const std::byte* from = bytes_of(packed);
  std::byte* to = bytes_of(rectangle);
  for (size_t n = 0; n < source_.size(); ++n) {
    std::memcpy(to + source_[n] * bytes, from + static_cast<int64_t>(n) * bytes, static_cast<size_t>(bytes));
  }
  return rectangle;
}

}  // namespace locus
