#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/dropout.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

void dropout_kernel(const DropoutArgs& args) {
  const Dropper dropper(args.rate, args.seed, args.stream);
  const Extent extent = extent_of(args.x, args.y);
  each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    drop(dropper, args.x.row<float>(r) + begin, args.y.row<float>(r) + begin, end - begin,
         r * extent.cols + begin);
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(dropout_kernel);

void dropout(const DropoutArgs& args) { LOCUS_DISPATCH(dropout_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
