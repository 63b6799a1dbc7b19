// Tests of the assembly tile, which sanitizers cannot check: its memory ends right before a protected page.
#ifdef __aarch64__
#include "locus/kernel/cpu/tile_neon.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <new>
#include <span>

namespace locus::testing {
namespace {

class Guarded {
 public:
  explicit Guarded(int64_t count) : bytes_((static_cast<size_t>(count) * 4 + kPage - 1) / kPage * kPage) {
    memory_ = mmap(nullptr, bytes_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    char* end = static_cast<char*>(memory_) + bytes_;
    mprotect(end, kPage, PROT_NONE);
    numbers_ = {reinterpret_cast<float*>(end) - count, static_cast<size_t>(count)};
    for (size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<float>(i * 7 % 13) * 0.1f - 0.5f;
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { munmap(memory_, bytes_ + kPage); }

  float* data() const { return numbers_.data(); }
  float operator[](int64_t i) const { return numbers_[static_cast<size_t>(i)]; }

 private:
  static constexpr size_t kPage = 65536;  // a page, or a multiple of it, on every aarch64 kernel
  size_t bytes_;
  void* memory_;
  std::span<float> numbers_;
};

TEST(TileNeon, MatchesSequentialMultiplyAddsAndStaysInBounds) {
  for (int64_t depth = 1; depth < 20; ++depth) {
    for (const int64_t count : {1, 2, 3}) {
      for (const int64_t from_stride : {-1, 0, 12}) {  // -1: start from zeros
        const int64_t rows = 8 * count;
        const Guarded a(rows * depth), b(12 * depth), c(rows * 12), from(from_stride == 0 ? 12 : rows * 12);
        kernel::cpu::run_tiles_of_eight({.a = a.data(),
                                         .b = b.data(),
                                         .depth = depth,
                                         .c = c.data(),
                                         .stride = 12,
                                         .from = from_stride < 0 ? nullptr : from.data(),
                                         .from_stride = from_stride,
                                         .count = count,
                                         .a_step = 8 * depth});
        for (int64_t i = 0; i < rows * 12; ++i) {
          const int64_t row = i / 12, column = i % 12;
          float sum = from_stride < 0 ? 0 : from[row * from_stride + column];
          for (int64_t k = 0; k < depth; ++k) {
            sum = std::fma(a[row / 8 * 8 * depth + k * 8 + row % 8], b[k * 12 + column], sum);
          }
          ASSERT_EQ(c[i], sum) << depth << " deep, " << count << " tiles, from " << from_stride << ", at "
                               << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace locus::testing
#endif
