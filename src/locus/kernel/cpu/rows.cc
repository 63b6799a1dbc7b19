#include "locus/kernel/rows.h"

#include <cstring>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/prefetch.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// A task owns a strip of columns and processes all rows in order. So no two tasks write the same element, and
// repeated ids are added in a fixed order.
void scatter_add_kernel(const ScatterAddArgs& args) {
  constexpr int64_t kStrip = 128, kAhead = 4;
  const int64_t N = args.rows.rows, C = args.rows.cols;
  const int32_t* ids = args.ids.as<int32_t>();
  const int64_t strips = divide_up(C, kStrip);
  const int64_t grain = divide_up(kPieceSize, HWY_MAX(int64_t{1}, N * kStrip));
  parallel_for(strips, grain, [&](int64_t first, int64_t last) HWY_ATTR {
    const int64_t begin = first * kStrip, width = HWY_MIN(C, last * kStrip) - begin;
    for (int64_t n = 0; n < N; ++n) {
      if (n + kAhead < N) {
        prefetch_strip(args.rows.row<float>(n + kAhead) + begin, width);
        prefetch_strip(args.table.row<float>(ids[n + kAhead]) + begin, width);
      }
      if (ids[n] == args.skip) continue;
      const float* row = args.rows.row<float>(n) + begin;
      float* sum = args.table.row<float>(ids[n]) + begin;
      sweep_into(sum, width, [&](auto d, int64_t i) HWY_ATTR {
        const auto factor = hn::Set(d, args.factor);
        return hn::MulAdd(factor, hn::LoadU(d, row + i), hn::LoadU(d, sum + i));
      });
    }
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(scatter_add_kernel);

void gather(const GatherArgs& args) {
  const int32_t* ids = args.ids.as<int32_t>();
  each_piece({args.out.rows, args.out.cols}, [&](int64_t n, int64_t begin, int64_t end) {
    if (n + 1 < args.out.rows) prefetch_strip(args.table.row<float>(ids[n + 1]) + begin, end - begin);
    std::memcpy(args.out.row<float>(n) + begin, args.table.row<float>(ids[n]) + begin,
                static_cast<size_t>(end - begin) * sizeof(float));
  });
}

void scatter_add(const ScatterAddArgs& args) { LOCUS_DISPATCH(scatter_add_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
