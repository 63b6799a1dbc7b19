// The bytes of a tensor in the memory of the host, to send them or to write received ones.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/tensor/storage.h"
#include "locus/tensor/tensor.h"

namespace locus {

inline int64_t byte_size(const Tensor& tensor) { return tensor.numel() * size_of(tensor.dtype()); }

// Memory for messages. It is not filled at first, and blocks of the allocator are used again in the next
// step.
class MessageBuffer {
 public:
  explicit MessageBuffer(int64_t bytes = 0) : memory_(allocate(bytes)), size_(static_cast<size_t>(bytes)) {}
  std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
  std::shared_ptr<std::byte> memory_;
  size_t size_;
};

// Copies on all threads.
inline void copy_bytes(std::byte* to, const std::byte* from, size_t size) {
  constexpr int64_t kPiece = int64_t{1} << 20;
  parallel_for(static_cast<int64_t>(size), kPiece, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

// Writes the bytes of the tensor to the front of `to`, which becomes the rest.
inline void put_bytes(const Tensor& tensor, std::span<std::byte>& to) {
  const auto size = static_cast<size_t>(byte_size(tensor));
  require(to.size() >= size, "a message has no room for a tensor");
  const Tensor here = tensor.on_host(), whole = here.contiguous() ? here : here.clone();
  copy_bytes(to.data(), whole.view().data, size);
  to = to.subspan(size);
}

// Appends the bytes.
inline void append_bytes(const Tensor& tensor, std::vector<std::byte>& to) {
  const size_t before = to.size();
  to.resize(before + static_cast<size_t>(byte_size(tensor)));
  std::span<std::byte> place = std::span(to).subspan(before);
  put_bytes(tensor, place);
}

// Takes the bytes of the tensor from the front of `from`.
inline void take_bytes(std::span<const std::byte>& from, Tensor tensor) {
  const auto size = static_cast<size_t>(byte_size(tensor));
  require(from.size() >= size, "a message ends inside of a tensor");
  const bool direct = on_host(tensor.device()) && tensor.contiguous();
  const Tensor here = direct ? tensor : Tensor::empty(tensor.shape(), tensor.dtype());
  copy_bytes(here.view().data, from.data(), size);
  if (!direct) tensor.copy_from(here);
  from = from.subspan(size);
}

}  // namespace locus
