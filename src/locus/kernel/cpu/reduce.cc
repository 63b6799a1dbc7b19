// Sums over all elements: f32 within blocks of 1024, double over blocks and chunks. The chunks depend on the
// shape only and are added in order.
#include <algorithm>
#include <array>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/partial.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/reduce.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

constexpr int64_t kBlock = 1024;
constexpr int64_t kMaxChunks = 256;

// The sum of block(x, n) over blocks of at most kBlock elements.
template <class Block>
HWY_INLINE double sum_blocks(ConstView x, Block block) {
  const Extent extent = extent_of(x);
  const int64_t per_row = divide_up(extent.cols, kBlock), blocks = extent.rows * per_row;
  const int64_t grain = HWY_MAX(kPieceSize / kBlock, divide_up(blocks, kMaxChunks));
  std::array<double, kMaxChunks> parts = {};
  parallel_for(blocks, grain, [&](int64_t first, int64_t last) HWY_ATTR {
    double sum = 0;
    for (int64_t i = first; i < last; ++i) {
      const int64_t begin = i % per_row * kBlock;
      const int64_t n = HWY_MIN(kBlock, extent.cols - begin);
      sum += static_cast<double>(block(x.row<float>(i / per_row) + begin, n));
    }
    parts[static_cast<size_t>(first / grain)] = sum;
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

double sum_kernel(ConstView x) {
  return sum_blocks(x, [](const float* p, int64_t n) HWY_ATTR {
    return accumulate(
        n, [&](auto d, int64_t i, auto sum) HWY_ATTR { return hn::Add(sum, hn::LoadU(d, p + i)); });
  });
}

double squared_norm_kernel(ConstView x) {
  return sum_blocks(x, [](const float* p, int64_t n) HWY_ATTR {
    return accumulate(n, [&](auto d, int64_t i, auto sum) HWY_ATTR {
      const auto v = hn::LoadU(d, p + i);
      return hn::MulAdd(v, v, sum);
    });
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(sum_kernel);
LOCUS_EXPORT(squared_norm_kernel);

int64_t partial_rows(int64_t rows) { return partial_chunks(rows); }

void sum(const SumArgs& args) { put(args.out, 0, LOCUS_DISPATCH(sum_kernel)(args.x) / args.divisor); }
void squared_norm(const SumArgs& args) {
  put(args.out, 0, LOCUS_DISPATCH(squared_norm_kernel)(args.x) / args.divisor);
}
void spread(const SpreadArgs& args) {
  const auto value = static_cast<float>(at(args.x, 0) / args.divisor);
  for (int64_t r = 0; r < args.out.rows; ++r) std::fill_n(args.out.row<float>(r), args.out.cols, value);
}

}  // namespace locus::kernel::cpu
#endif
