// The matrix product. b is packed beforehand, panel by panel. c is split into blocks of about kBlockRows rows
// and several panels of columns (matmul_block-inl.h); each task computes one block. The split may depend on
// the number of threads.
#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/matmul.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/matmul_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

int64_t PackedSize(int64_t k, int64_t n, DType b) {
  return with_tiles(b, [&]<class Tiles>(Tiles) HWY_ATTR {
    const int64_t numbers = divide_up(n, kCols) * kCols * padded_depth<Tiles>(k);
    return std::max<int64_t>(numbers * Tiles::elements_per_number(b), 1);
  });
}

void Pack(const PackArgs& args) {
  const int64_t panels = divide_up(args.n, kCols);
  if (args.k == 0) return;
  const int64_t grain = std::max<int64_t>(1, 65536 / (args.k * kCols));
  with_tiles(args.b.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
    parallel_for(args.batch * panels, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t batch = i / panels, column = i % panels * kCols;
        Tiles::pack_panel(args, batch, column,
                          Tiles::numbers(args.packed, batch) + column * padded_depth<Tiles>(args.k));
      }
    });
  });
}

// Panels of b that pack() wrote.
template <class Tiles>
struct PackedPanels {
  static constexpr int64_t kTilesPerRun = kBlockRows / kRows;
  const typename Tiles::Number* packed;
  int64_t padded_k;

  const auto* at(const Slice& s) const { return packed + s.panel * kCols * padded_k + s.k * kCols; }
  PrefetchRange ahead(const Slice& s, int64_t i, int64_t n) const {
    const int64_t bytes = s.depth * kCols * static_cast<int64_t>(sizeof(*packed)) / n;
    return {.at = reinterpret_cast<const char*>(at(s)) + i * bytes, .bytes = bytes};
  }
};

// Number of row blocks: enough to cover m, rounded up to a multiple of the thread count when every thread
// gets at least one.
int64_t RowBlocks(int64_t m) {
  const int64_t least = divide_up(m, kBlockRows), count = threads();
  return least < count ? least : divide_up(least, count) * count;
}

// Number of pieces that n columns are split into, given the number of row blocks. Eight tasks per thread
// balance the load well, if the pieces are wide enough (kWide) that repacking the rows of a costs about 1 %.
// Otherwise four tasks per thread with pieces of at least kNarrow, which costs about 2 %. Pieces are narrower
// only if a thread would otherwise have no task or fewer than the other threads.
int64_t ColumnCuts(int64_t blocks, int64_t n) {
  constexpr int64_t kWide = 768, kNarrow = 384;
  const int64_t most = divide_up(8 * threads(), blocks), least = divide_up(threads(), blocks);
  int64_t cuts = std::min(most, n / kWide);
  cuts = std::max({least, cuts, std::min(divide_up(4 * threads(), blocks), n / kNarrow)});
  while (cuts < most && blocks * cuts % threads() != 0) ++cuts;
  return cuts;
}

void Matmul(const MatmulArgs& args) {
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  if (args.k == 0) return RunEmpty(args);
  const int64_t tiles = divide_up(args.m, kRows), panels = divide_up(args.n, kCols);
  const int64_t row_blocks = RowBlocks(args.m);
  const int64_t panels_each = divide_up(panels, ColumnCuts(args.batch * row_blocks, args.n));
  const int64_t column_blocks = divide_up(panels, panels_each), blocks = column_blocks * row_blocks;
  // Consecutive tasks run on the same thread (base/parallel.h). It multiplies its rows with some panels, then
  // with the next ones, while the other threads read the same panels.
  const int64_t rows_each = divide_up(row_blocks, threads());
  parallel_for(args.batch * blocks, 1, [&](int64_t begin, int64_t) HWY_ATTR {
    const int64_t first = begin % blocks / (column_blocks * rows_each) * rows_each;
    const int64_t count = std::min(rows_each, row_blocks - first);
    const int64_t inside = begin % blocks - first * column_blocks;
    const int64_t at = first + inside % count, panel = inside / count * panels_each;
    const int64_t row = at * tiles / row_blocks * kRows, end = (at + 1) * tiles / row_blocks * kRows;
    const Block block = {.batch = begin / blocks,
                         .row = row,
                         .rows = std::min(end, args.m) - row,
                         .panel = panel,
                         .panels = std::min(panels_each, panels - panel)};
    with_tiles(args.packed.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
      const PackedPanels<Tiles> packed = {Tiles::numbers(args.packed, block.batch),
                                          padded_depth<Tiles>(args.k)};
      RunBlock<Tiles>(args, block, packed);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(PackedSize);
LOCUS_EXPORT(Pack);
LOCUS_EXPORT(Matmul);

int64_t packed_size(int64_t k, int64_t n, DType b) { return LOCUS_DISPATCH(PackedSize)(k, n, b); }
void pack(const PackArgs& args) { LOCUS_DISPATCH(Pack)(args); }
void matmul(const MatmulArgs& args) { LOCUS_DISPATCH(Matmul)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
