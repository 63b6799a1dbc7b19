// The memory of the GPU, with a driver whose GPU is the host: copies and fills, also of strided rows.
#include "locus/tensor/cuda/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "locus/tensor/blocks.h"
#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/queue.h"
#include "locus/tensor/storage.h"
#include "locus/tensor/tensor.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

using Floats = std::vector<float>;
using locus::cuda::kSuccess;

constexpr size_t kFree = 1 << 20;

template <class T>
int fill_rows(locus::cuda::Address to, size_t pitch, T bits, size_t cols, size_t rows, locus::cuda::Stream) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) {
      std::memcpy(reinterpret_cast<std::byte*>(to) + r * pitch + c * sizeof(T), &bits, sizeof(T));
    }
  }
  return kSuccess;
}

template <class T>
int fill_all(locus::cuda::Address to, T bits, size_t count, locus::cuda::Stream stream) {
  return fill_rows<T>(to, 0, bits, count, 1, stream);
}

std::byte* begin_of(const locus::cuda::RowCopy::Side& side) {
  return static_cast<std::byte*>(side.memory == locus::cuda::kOfHost ? side.host
                                                                     : reinterpret_cast<void*>(side.gpu)) +
         side.row * side.pitch + side.column;
}

int copy_rows(const locus::cuda::RowCopy* rows, locus::cuda::Stream) {
  for (size_t r = 0; r < rows->rows; ++r) {
    std::memcpy(begin_of(rows->to) + r * rows->to.pitch, begin_of(rows->from) + r * rows->from.pitch,
                rows->bytes);
  }
  return kSuccess;
}

locus::cuda::Calls host_driver() {
  using namespace locus::cuda;
  Calls calls;
  calls.init = [](unsigned) { return kSuccess; };
  calls.version = [](int* version) { return *version = 13000, kSuccess; };
  calls.count = [](int* count) { return *count = 1, kSuccess; };
  calls.device = [](int* device, int) { return *device = 0, kSuccess; };
  calls.name = [](char*, int, int) { return kSuccess; };
  calls.attribute = [](int* value, int, int) { return *value = 90, kSuccess; };
  calls.total_memory = [](size_t* bytes, int) { return *bytes = 2 * kFree, kSuccess; };
  calls.retain = [](Context*, int) { return kSuccess; };
  calls.set_current = [](Context) { return kSuccess; };
  calls.free_memory = [](size_t* free, size_t* total) { return *free = kFree, *total = 2 * kFree, kSuccess; };
  calls.new_stream = [](Stream*, unsigned) { return kSuccess; };
  calls.wait = [](Stream) { return kSuccess; };
  calls.allocate = [](Address* address, size_t bytes) {
    if (bytes > kFree) return kOutOfMemory;
    return *address = reinterpret_cast<Address>(std::malloc(bytes)), kSuccess;
  };
  calls.release = [](Address address) { return std::free(reinterpret_cast<void*>(address)), kSuccess; };
  calls.upload = [](Address to, const void* from, size_t bytes, Stream) {
    return std::memcpy(reinterpret_cast<void*>(to), from, bytes), kSuccess;
  };
  calls.download = [](void* to, Address from, size_t bytes, Stream) {
    return std::memcpy(to, reinterpret_cast<void*>(from), bytes), kSuccess;
  };
  calls.copy = [](Address to, Address from, size_t bytes, Stream) {
    return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), kSuccess;
  };
  calls.copy_rows = copy_rows;
  calls.fill_8 = fill_all<uint8_t>;
  calls.fill_16 = fill_all<uint16_t>;
  calls.fill_32 = fill_all<uint32_t>;
  calls.fill_rows_8 = fill_rows<uint8_t>;
  calls.fill_rows_16 = fill_rows<uint16_t>;
  calls.fill_rows_32 = fill_rows<uint32_t>;
  return calls;
}

class CudaMemory : public ::testing::Test {
 protected:
  CudaMemory() { locus::cuda::replace_calls(&calls_); }
  ~CudaMemory() override {
    for (void* const block : blocks_) memory(Device::cuda).give(block, 0);
    locus::cuda::replace_calls(nullptr);
  }

  // Not a Tensor: its memory would stay in the cache for the real GPU.
  View there(int64_t rows, int64_t cols, DType dtype = DType::f32) {
    blocks_.push_back(memory(Device::cuda).take(rows * cols * size_of(dtype)));
    return {static_cast<std::byte*>(blocks_.back()), dtype, Device::cuda, rows, cols, cols};
  }
  static View columns(View view, int64_t begin, int64_t end) {
    view.data += begin * size_of(view.dtype);
    view.cols = end - begin;
    return view;
  }
  static Floats read(View view) {
    const Tensor here = Tensor::empty({view.rows, view.cols}, view.dtype);
    copy(here.view(), view);
    return here.values();
  }
  static Tensor counting(Shape shape) {
    Tensor tensor = Tensor::empty(shape);
    std::iota(tensor.data<float>().begin(), tensor.data<float>().end(), 0.0f);
    return tensor;
  }

  locus::cuda::Calls calls_ = host_driver();

 private:
  std::vector<void*> blocks_;
};

TEST_F(CudaMemory, IsCopiedToAndFro) {
  const View a = there(3, 4), b = there(3, 4);
  copy(a, counting({3, 4}).view());
  EXPECT_EQ(read(a), (Floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  copy(b, a);
  EXPECT_EQ(read(b), read(a));
  copy(columns(b, 0, 2), columns(a, 2, 4));
  EXPECT_EQ(read(b), (Floats{2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11}));
  EXPECT_EQ(read(columns(b, 1, 3)), (Floats{3, 2, 7, 6, 11, 10}));
  copy(columns(a, 1, 3), counting({3, 2}).view());
  EXPECT_EQ(read(a), (Floats{0, 0, 1, 3, 4, 2, 3, 7, 8, 4, 5, 11}));
}

TEST_F(CudaMemory, IsFilledInEveryFormat) {
  for (const DType dtype :
       {DType::f32, DType::bf16, DType::f16, DType::i32, DType::i64, DType::f64, DType::u8, DType::boolean}) {
    SCOPED_TRACE(name_of(dtype));
    const View view = there(2, 3, dtype);
    memory(Device::cuda).fill(view, 0);
    EXPECT_EQ(read(view), Floats(6, 0));
    memory(Device::cuda).fill(columns(view, 1, 3), 1);
    EXPECT_EQ(read(view), (Floats{0, 1, 1, 0, 1, 1}));
  }
  const View wide = there(1, 2, DType::f64);
  memory(Device::cuda).fill(wide, -0.1);
  const Tensor here = Tensor::empty({1, 2}, DType::f64);
  copy(here.view(), wide);
  EXPECT_EQ(here.data<double>()[1], -0.1) << "both halves of the number";
}

TEST_F(CudaMemory, WaitsForTheHostOnlyWhenItMust) {
  const View a = there(3, 4), b = there(3, 4);
  const int64_t before = waits(Device::cuda);
  copy(a, counting({3, 4}).view());
  copy(b, a);
  memory(Device::cuda).fill(columns(a, 1, 2), 5);
  EXPECT_EQ(waits(Device::cuda), before);
  read(a);
  EXPECT_EQ(waits(Device::cuda), before + 1);
  wait(Device::cuda);
  EXPECT_EQ(waits(Device::cuda), before + 2);
}

TEST_F(CudaMemory, MayRunOut) {
  EXPECT_EQ(memory(Device::cuda).take(2 * kFree), nullptr);
  EXPECT_EQ(memory(Device::cuda).available(), int64_t{kFree});
  if (cached_bytes(Device::cuda) > 0) return;  // of a real GPU: they would be released first
  const int64_t before = allocated_bytes(Device::cuda);
  expect_error(Fault::resource, {"4194304", "cuda", "1048576"},
               [] { Tensor::empty({1 << 20}, DType::f32, Device::cuda); });
  EXPECT_EQ(allocated_bytes(Device::cuda), before);
}

// A row of 8 GiB: as rows of a matrix it would have a pitch of more than 31 bits, which the driver refuses.
TEST_F(CudaMemory, OfAnyLengthIsFilledAtOnce) {
  static size_t filled = 0;
  calls_.fill_32 = [](locus::cuda::Address, uint32_t, size_t count, locus::cuda::Stream) {
    return filled = count, kSuccess;
  };
  calls_.fill_rows_32 = nullptr;
  View view = there(1, 1);
  view.rows = int64_t{1} << 20, view.cols = view.stride = 1 << 11;
  memory(Device::cuda).fill(view, 1);
  EXPECT_EQ(filled, size_t{1} << 31);
}

// After an error that stays, such as an invalid address, the driver refuses to release memory, too. Whatever
// the host does then, it can report the error.
TEST_F(CudaMemory, IsReleasedWithoutAnErrorOfItsOwn) {
  void* const block = memory(Device::cuda).take(100);
  calls_.wait = [](locus::cuda::Stream) { return 700; };
  calls_.release = [](locus::cuda::Address) { return 700; };
  EXPECT_NO_THROW(memory(Device::cuda).give(block, 100));
  std::free(block);
}

}  // namespace
}  // namespace locus::testing
