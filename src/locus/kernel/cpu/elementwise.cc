#include "locus/kernel/elementwise.h"

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/partial-inl.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

void add_kernel(const AddArgs& args) {
  each_piece(extent_of(args.a, args.b, args.out), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* a = args.a.row<float>(r) + begin;
    const float* b = args.b.row<float>(r) + begin;
    float* out = args.out.row<float>(r) + begin;
    sweep_into(out, end - begin,
               [&](auto d, int64_t i) HWY_ATTR { return hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)); });
  });
}

void scale_kernel(const ScaleArgs& args) {
  each_piece(extent_of(args.x, args.out), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* x = args.x.row<float>(r) + begin;
    float* out = args.out.row<float>(r) + begin;
    const float factor = args.factor;
    sweep_into(out, end - begin,
               [&](auto d, int64_t i) HWY_ATTR { return hn::Mul(hn::Set(d, factor), hn::LoadU(d, x + i)); });
  });
}

void multiply_kernel(const MultiplyArgs& args) {
  each_piece(extent_of(args.a, args.b, args.out), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* a = args.a.row<float>(r) + begin;
    const float* b = args.b.row<float>(r) + begin;
    float* out = args.out.row<float>(r) + begin;
    sweep_into(out, end - begin,
               [&](auto d, int64_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)); });
  });
}

void bias_kernel(const BiasArgs& args) {
  each_piece({args.x.rows, args.x.cols}, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* x = args.x.row<float>(r) + begin;
    const float* bias = args.bias.row<float>(0) + begin;
    float* out = args.out.row<float>(r) + begin;
    sweep_into(out, end - begin, [&](auto d, int64_t i) HWY_ATTR {
      return hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, bias + i));
    });
  });
}

void column_sum_kernel(const ColumnSumArgs& args) {
  const int64_t N = args.x.rows, C = args.x.cols, grain = partial_grain(N);
  parallel_for(N, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    float* part = args.workspace.row<float>(begin / grain);
    std::fill_n(part, C, 0.0f);
    for (int64_t r = begin; r < end; ++r) add_row(part, args.x.row<float>(r), C);
  });
  sum_parts(args.workspace, 0, partial_chunks(N), args.out);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(add_kernel);
LOCUS_EXPORT(scale_kernel);
LOCUS_EXPORT(multiply_kernel);
LOCUS_EXPORT(bias_kernel);
LOCUS_EXPORT(column_sum_kernel);

void add(const AddArgs& args) { LOCUS_DISPATCH(add_kernel)(args); }
void scale(const ScaleArgs& args) { LOCUS_DISPATCH(scale_kernel)(args); }
void multiply(const MultiplyArgs& args) { LOCUS_DISPATCH(multiply_kernel)(args); }
void bias(const BiasArgs& args) { LOCUS_DISPATCH(bias_kernel)(args); }
void column_sum(const ColumnSumArgs& args) { LOCUS_DISPATCH(column_sum_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
