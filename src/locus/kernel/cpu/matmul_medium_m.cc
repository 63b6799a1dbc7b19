// The product of a medium number of rows of a (more than matmul_small_m.cc handles) with an unpacked matrix
// b. For up to kMaxTransposedRows rows b is never packed (transposed_block-inl.h). For more rows, each panel
// of b is packed right before it is used. Packing all of b first, as in matmul.cc, would write and read b
// once more.
#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/prefetch.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/matmul_medium_m.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/matmul_block-inl.h"
#include "locus/kernel/cpu/transposed_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Panels of an unpacked b, packed right before they are used.
template <class Tiles>
struct OnDemandPanels {
  static constexpr int64_t kTilesPerRun = 1;
  PackArgs from;
  typename Tiles::Number* packed;  // memory for a slice of one panel

  const std::byte* address(int64_t row, int64_t k) const {
    return from.b.data + (row * from.b.stride + k) * size_of(from.b.dtype);
  }
  const auto* at(const Slice& s) const {
    PackArgs piece = from;
    piece.b.data = address(0, s.k);
    piece.k = std::min(s.depth, from.k - s.k);
    Tiles::pack_panel(piece, 0, s.panel * kCols, packed);
    return packed;
  }
  PrefetchRange ahead(const Slice& s, int64_t i, int64_t n) const {
    const int64_t first = s.panel * kCols, last = std::min(first + kCols, from.n);
    for (int64_t row = first + i * kCols / n; row < std::min(first + (i + 1) * kCols / n, last); ++row) {
      prefetch_strip(reinterpret_cast<const float*>(address(row, s.k)),
                     std::min(s.depth, from.k - s.k) * size_of(from.b.dtype) / 4);
    }
    return {};
  }
};

// A task packs the panels of its columns one after the other, and all of a. kLeastColumns keeps the cost of
// packing a small.
void MatmulMediumM(const MatmulSmallMArgs& given) {
  static_assert(kMaxSmallM <= kBlockRows);
  constexpr int64_t kLeastColumns = 96;
  const MatmulArgs args = {.a = given.a,
                           .packed = {.dtype = given.b.dtype},
                           .c = given.c,
                           .m = given.a.rows,
                           .n = given.b.rows,
                           .k = given.b.cols,
                           .bias = given.bias,
                           .activation = given.activation};
  if (args.n == 0) return;
  if (args.k == 0) return RunEmpty(args);
  const int64_t panels = divide_up(args.n, kCols);
  const int64_t grain = std::max(divide_up(panels, threads()), divide_up(kLeastColumns, kCols));
  parallel_for(panels, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    if (given.b.dtype == DType::f32 && args.m <= kMaxTransposedRows)
      return RunTransposed(args, given.b, begin, end);
    const Block block = {.batch = 0, .row = 0, .rows = args.m, .panel = begin, .panels = end - begin};
    with_tiles(given.b.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
      const OnDemandPanels<Tiles> on_demand = {
          .from = {.b = given.b, .k = args.k, .n = args.n, .transposed = true},
          .packed = scratch_of<Tiles>().b};
      RunBlock<Tiles>(args, block, on_demand);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(MatmulMediumM);

void matmul_medium_m(const MatmulSmallMArgs& args) { LOCUS_DISPATCH(MatmulMediumM)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
