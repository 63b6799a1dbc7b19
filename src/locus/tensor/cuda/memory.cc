#include "locus/tensor/cuda/memory.h"

#include <cstring>
#include <vector>

#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/stored.h"

namespace locus::cuda {
namespace {

void* take(int64_t bytes) { return reinterpret_cast<void*>(allocate_or_null(bytes)); }
void give(void* block, int64_t) { release(reinterpret_cast<Address>(block)); }

template <class Byte>
Address address_of(BasicView<Byte> view) {
  return reinterpret_cast<Address>(view.data);
}

template <class Byte>
int64_t bytes_of(BasicView<Byte> view) {
  return view.numel() * size_of(view.dtype);
}

template <class Byte>
RowCopy::Side side_of(BasicView<Byte> view) {
  const auto pitch = static_cast<size_t>(view.stride * size_of(view.dtype));
  if (!on_host(view.device)) return {.memory = kOfGpu, .gpu = address_of(view), .pitch = pitch};
  return {.memory = kOfHost, .host = const_cast<std::byte*>(view.data), .pitch = pitch};
}

void copy_strided(View to, ConstView from) {
  copy_rows({.from = side_of(from),
             .to = side_of(to),
             .bytes = static_cast<size_t>(to.cols * size_of(to.dtype)),
             .rows = static_cast<size_t>(to.rows)});
}

void copy_on_gpu(View to, ConstView from) {
  if (!to.contiguous() || !from.contiguous()) return copy_strided(to, from);
  copy(address_of(to), address_of(from), bytes_of(to));
}

void upload_view(View to, ConstView from) {
  if (!to.contiguous() || !from.contiguous()) {
    copy_strided(to, from);
    return wait();  // the driver may read rows of the host later
  }
  upload(address_of(to), {from.data, static_cast<size_t>(bytes_of(from))});
}

void download_view(View to, ConstView from) {
  if (!to.contiguous() || !from.contiguous()) {
    copy_strided(to, from);
    return wait();
  }
  download({to.data, static_cast<size_t>(bytes_of(to))}, address_of(from));
}

void fill(View view, double value) {
  const int64_t width = size_of(view.dtype);
  uint64_t bits = 0;
  visit_stored(view.dtype, [&]<class T>(T) {
    const T stored = from_double<T>(value);
    std::memcpy(&bits, &stored, sizeof(T));
  });
  if (view.contiguous()) view.cols *= view.rows, view.rows = 1, view.stride = view.cols;
  if (width < 8) {
    return fill_rows({.to = address_of(view),
                      .pitch = view.stride * width,
                      .rows = view.rows,
                      .cols = view.cols,
                      .width = width,
                      .bits = static_cast<uint32_t>(bits)});
  }
  // The driver has no fill of 8 bytes: the low halves, then the high ones, each a row of its own.
  for (int64_t r = 0; r < view.rows; ++r) {
    for (const int64_t half : {0, 1}) {
      fill_rows({.to = address_of(view) + static_cast<Address>(r * view.stride * width + half * 4),
                 .pitch = 8,
                 .rows = view.cols,
                 .cols = 1,
                 .width = 4,
                 .bits = static_cast<uint32_t>(bits >> (32 * half))});
    }
  }
}

}  // namespace

const DeviceMemory& memory() {
  static constexpr DeviceMemory the_memory = {.take = take,
                                              .give = give,
                                              .available = free_memory,
                                              .fill = fill,
                                              .copy = copy_on_gpu,
                                              .upload = upload_view,
                                              .download = download_view};
  return the_memory;
}

}  // namespace locus::cuda
