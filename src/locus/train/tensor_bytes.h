// The bytes of a tensor in the memory of the host, to send them or to write received ones.
#pragma once

#include <cstdint>
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

inline std::vector<std::span<const std::byte>> to_send(const std::vector<MessageBuffer>& buffers) {
  std::vector<std::span<const std::byte>> list;
  for (const MessageBuffer& buffer : buffers) list.push_back(buffer.bytes());
  return list;
}
inline std::vector<std::span<std::byte>> to_fill(const std::vector<MessageBuffer>& buffers) {
  std::vector<std::span<std::byte>> list;
  for (const MessageBuffer& buffer : buffers) list.push_back(buffer.bytes());
  return list;
}

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

// A message of gradients of which some may not exist: a byte for each says whether it does, and then come the
// gradients, or zeros.
class GradientWriter {
 public:
  GradientWriter(std::span<std::byte> message, int64_t gradients)
      : flags_(message), numbers_(message.subspan(static_cast<size_t>(gradients))) {}

  void put(const Tensor& gradient, int64_t bytes) {
    flags_.front() = std::byte{gradient ? uint8_t{1} : uint8_t{0}};
    flags_ = flags_.subspan(1);
    if (gradient) return put_bytes(gradient, numbers_);
    std::memset(numbers_.data(), 0, static_cast<size_t>(bytes));
    numbers_ = numbers_.subspan(static_cast<size_t>(bytes));
  }

 private:
  std::span<std::byte> flags_, numbers_;
};

class GradientReader {
 public:
  GradientReader(std::span<const std::byte> message, int64_t gradients)
      : flags_(message), numbers_(message.subspan(static_cast<size_t>(gradients))) {}

  // The next gradient, of the size of `like`, or no tensor.
  Tensor take(const Tensor& like) {
    const bool exists = flags_.front() != std::byte{0};
    flags_ = flags_.subspan(1);
    if (!exists) {
      numbers_ = numbers_.subspan(static_cast<size_t>(byte_size(like)));
      return {};
    }
    const Tensor gradient = like.like(like.shape());
    take_bytes(numbers_, gradient);
    return gradient;
  }

 private:
  std::span<const std::byte> flags_, numbers_;
};

}  // namespace locus
