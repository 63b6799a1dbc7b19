// The bytes of a tensor in the memory of the host, to send them or to write received ones.
#pragma once

#include <cstring>
#include <span>

#include "locus/base/error.h"
#include "locus/tensor/tensor.h"

namespace locus {

inline int64_t byte_size(const Tensor& tensor) { return tensor.numel() * size_of(tensor.dtype()); }

// Appends the bytes.
inline void append_bytes(const Tensor& tensor, std::vector<std::byte>& to) {
  const Tensor here = tensor.on_host(), whole = here.contiguous() ? here : here.clone();
  const std::byte* const data = whole.view().data;
  to.insert(to.end(), data, data + byte_size(whole));
}

// Takes the bytes of the tensor from the front of `from`.
inline void take_bytes(std::span<const std::byte>& from, Tensor tensor) {
  const auto size = static_cast<size_t>(byte_size(tensor));
  require(from.size() >= size, "a message ends inside of a tensor");
  const bool direct = on_host(tensor.device()) && tensor.contiguous();
  const Tensor here = direct ? tensor : Tensor::empty(tensor.shape(), tensor.dtype());
  std::memcpy(here.view().data, from.data(), size);
  if (!direct) tensor.copy_from(here);
  from = from.subspan(size);
}

}  // namespace locus
