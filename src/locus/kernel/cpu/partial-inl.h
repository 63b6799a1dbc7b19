// The two steps of a column sum (partial.h), per SIMD target.
#if defined(LOCUS_KERNEL_CPU_PARTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_PARTIAL_INL_H_
#undef LOCUS_KERNEL_CPU_PARTIAL_INL_H_
#else
#define LOCUS_KERNEL_CPU_PARTIAL_INL_H_
#endif

#include "locus/kernel/cpu/partial.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// sum += x
HWY_INLINE void add_row(float* sum, const float* x, int64_t n) {
  sweep_into(sum, n,
             [&](auto d, int64_t i) HWY_ATTR { return hn::Add(hn::LoadU(d, sum + i), hn::LoadU(d, x + i)); });
}

// out = rows [first, first + count) of the workspace, added in order
HWY_INLINE void sum_parts(ConstView workspace, int64_t first, int64_t count, View out) {
  each_piece({1, out.cols}, [&](int64_t, int64_t begin, int64_t end) HWY_ATTR {
    float* sum = out.row<float>(0) + begin;
    std::fill_n(sum, end - begin, 0.0f);
    for (int64_t part = first; part < first + count; ++part) {
      add_row(sum, workspace.row<float>(part) + begin, end - begin);
    }
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
