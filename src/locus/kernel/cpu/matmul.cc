// The matrix product. c is cut into blocks of kBlockRows rows and some panels of columns; a task owns one
// block, packs the rows of a it needs slice by slice of k and runs the register tile over it (tile-inl.h).
// No element's arithmetic depends on which block it is in, so the cut may follow the number of threads.
#include <algorithm>
#include <array>
#include <bit>

#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/prefetch.h"
#include "locus/kernel/cpu/scratch.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/matmul.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/highway.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/matmul_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

struct Block {
  int64_t batch, row, rows, panel, panels;  // rows of c, panels of b
};

int64_t PackedSize(int64_t k, int64_t n, DType b) {
  return with_tiles(b, [&]<class Tiles>(Tiles) HWY_ATTR {
    const int64_t numbers = divide_up(n, kCols) * kCols * whole_depth<Tiles>(k);
    return std::max<int64_t>(numbers * Tiles::places(b), 1);
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
                          Tiles::numbers(args.packed, batch) + column * whole_depth<Tiles>(args.k));
      }
    });
  });
}

// What follows the sum: bias and activation of `rows` rows of a whole tile, while it is in the first-level
// cache.
void Finish(const MatmulArgs& args, int64_t column, int64_t rows, float* c, int64_t stride) {
  if (!args.bias && args.activation == Activation::none) return;
  HWY_ALIGN float bias[kCols] = {};
  if (args.bias) std::copy_n(args.bias.as<float>() + column, std::min(kCols, args.n - column), bias);
  const Row add = load_row(bias);
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    const F f;
    const auto finished = [&](const float* at) HWY_ATTR {
      const Row sum = load_row(at);
      return Row{activate(f, which, hn::Add(sum.x, add.x)), activate(f, which, hn::Add(sum.y, add.y)),
                 activate(f, which, hn::Add(sum.z, add.z))};
    };
    // Two rows at once: an activation alone is a long wait.
    for (; rows >= 2; rows -= 2, c += 2 * stride) {
      const Row first = finished(c), second = finished(c + stride);
      store_row(first, c), store_row(second, c + stride);
    }
    if (rows == 1) store_row(finished(c), c);
  });
}

// One tile of c at (row, column), of which rows x cols exist. A tile over the edge is computed in `edge`.
template <class Tiles>
void RunTile(const MatmulArgs& args, const Block& block, const typename Tiles::Number* a,
             const typename Tiles::Number* b, int64_t row, int64_t rows, int64_t panel, int64_t k,
             int64_t depth, const Ahead& ahead) {
  const int64_t whole = whole_depth<Tiles>(args.k), computed = Tiles::rows(rows);
  const int64_t column = panel * kCols, cols = std::min(kCols, args.n - column);
  float* c = args.c.row<float>(block.batch * args.m + row) + column;
  const bool load = args.accumulate || k > 0, last = k + depth == whole;
  typename Tiles::Tile tile = Tiles::over(a, b, depth, ahead);
  tile.c = c;
  tile.stride = tile.from_stride = args.c.stride;
  tile.from = load ? c : nullptr;
  const bool finish = last && !args.accumulate;
  if (rows == computed && cols == kCols) {
    Tiles::run(computed, tile);
    if (finish) Finish(args, column, rows, c, args.c.stride);
  } else {
    std::array<float, kRows* kCols> edge = {};
    for (int64_t r = 0; load && r < rows; ++r) std::copy_n(c + r * args.c.stride, cols, &edge[r * kCols]);
    tile.c = edge.data();
    tile.stride = tile.from_stride = kCols;
    tile.from = load ? edge.data() : nullptr;
    Tiles::run(computed, tile);
    if (finish) Finish(args, column, rows, edge.data(), kCols);
    for (int64_t r = 0; r < rows; ++r) std::copy_n(&edge[r * kCols], cols, c + r * args.c.stride);
  }
}

// Where a thread packs a slice of a block's rows, and of one panel of b.
template <class Tiles>
struct Scratch {
  typename Tiles::Number *a, *b;
};
template <class Tiles>
Scratch<Tiles> scratch_of() {
  using Number = typename Tiles::Number;
  constexpr int64_t rows = kBlockRows * Tiles::kMost;
  static_assert((rows + kCols * Tiles::kMost) * sizeof(Number) <= kScratch);
  auto* a = reinterpret_cast<Number*>(thread_scratch());
  return {a, a + rows};
}

// Panels of b that pack() wrote: how deep slices of a are for them, a piece of one, and what tile i of n over
// it should ask for.
template <class Tiles>
struct PackedPanels {
  const typename Tiles::Number* packed;
  int64_t whole;

  static int64_t deepest(int64_t) { return Tiles::kMost; }
  const auto* at(int64_t panel, int64_t k, int64_t) const {
    return packed + panel * kCols * whole + k * kCols;
  }
  Ahead ahead(int64_t panel, int64_t k, int64_t depth, int64_t i, int64_t n) const {
    const int64_t bytes = depth * kCols * static_cast<int64_t>(sizeof(*packed)) / n;
    return {.at = reinterpret_cast<const char*>(at(panel + 1, k, depth)) + i * bytes, .bytes = bytes};
  }
};

// Panels of b as it lies, packed where they are used.
template <class Tiles>
struct LyingPanels {
  PackArgs from;
  typename Tiles::Number* packed;  // a piece of one

  // As deep as few rows of a fill the place of kBlockRows: so the rows of b are read from end to end.
  static int64_t deepest(int64_t rows) {
    return kBlockRows / (divide_up(rows, kRows) * kRows) * Tiles::kMost;
  }
  const std::byte* place(int64_t row, int64_t k) const {
    return from.b.data + (row * from.b.stride + k) * size_of(from.b.dtype);
  }
  const auto* at(int64_t panel, int64_t k, int64_t depth) const {
    PackArgs piece = from;
    piece.b.data = place(0, k);
    piece.k = std::min(depth, from.k - k);
    Tiles::pack_panel(piece, 0, panel * kCols, packed);
    return packed;
  }
  // Of the piece that follows, or of the next panel's first.
  Ahead ahead(int64_t panel, int64_t k, int64_t depth, int64_t i, int64_t n) const {
    k += depth;
    if (k >= from.k) ++panel, k = 0;
    if (n * kRows <= 32 && from.b.dtype == DType::f32) {  // so few that memory is slower than the tiles
      const auto each = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(divide_up(kCols, n))));
      if (i * each >= kCols) return {};
      return {.at = reinterpret_cast<const char*>(place(panel * kCols + i * each, k)),
              .rows = each,
              .stride = from.b.stride * size_of(DType::f32)};
    }
    const int64_t first = panel * kCols, last = std::min(first + kCols, from.n);
    for (int64_t row = first + i * kCols / n; row < std::min(first + (i + 1) * kCols / n, last); ++row) {
      prefetch_strip(reinterpret_cast<const float*>(place(row, k)),
                     std::min(depth, from.k - k) * size_of(from.b.dtype) / 4);
    }
    return {};
  }
};

// The depth of even cuts of `whole`, none deeper than `most`.
template <class Tiles>
int64_t even(int64_t whole, int64_t most) {
  return whole_depth<Tiles>(divide_up(whole, divide_up(whole, most)));
}

template <class Tiles, class Panels>
void RunBlock(const MatmulArgs& args, const Block& block, const Panels& panels) {
  auto* packed = scratch_of<Tiles>().a;
  const int64_t whole = whole_depth<Tiles>(args.k), tiles = divide_up(block.rows, kRows);
  const int64_t slice = even<Tiles>(whole, panels.deepest(block.rows));
  const int64_t piece = even<Tiles>(slice, Tiles::kMost);
  for (int64_t k = 0; k < whole; k += slice) {
    const int64_t depth = std::min(slice, whole - k);
    for (int64_t r = 0; r < block.rows; r += kRows) {
      Tiles::pack_rows(args, block.batch, block.row + r, std::min(kRows, block.rows - r), k,
                       std::min(depth, args.k - k), packed + r * depth);
    }
    for (int64_t panel = block.panel; panel < block.panel + block.panels; ++panel) {
      for (int64_t done = 0; done < depth; done += piece) {
        const int64_t at = k + done, part = std::min(piece, depth - done);
        const auto* b = panels.at(panel, at, part);
        for (int64_t i = 0; i < tiles; ++i) {
          const int64_t r = i * kRows, rows = std::min(kRows, block.rows - r);
          RunTile<Tiles>(args, block, packed + r * depth + done * Tiles::rows(rows), b, block.row + r, rows,
                         panel, at, part, panels.ahead(panel, at, part, i, tiles));
        }
      }
    }
  }
}

// No product to add: c = f(bias), or c as it was.
void RunEmpty(const MatmulArgs& args) {
  if (args.accumulate) return;
  for (int64_t r = 0; r < args.c.rows; ++r) {
    for (int64_t column = 0; column < args.n; column += kCols) {
      HWY_ALIGN float tile[kCols] = {};
      Finish(args, column, 1, tile, kCols);
      std::copy_n(tile, std::min(kCols, args.n - column), args.c.row<float>(r) + column);
    }
  }
}

void Matmul(const MatmulArgs& args) {
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  if (args.k == 0) return RunEmpty(args);
  const int64_t row_blocks = divide_up(args.m, kBlockRows), panels = divide_up(args.n, kCols);
  // Enough tasks to keep the threads evenly busy, but at least eight panels each: every task packs its rows
  // of a anew.
  const int64_t wanted = divide_up(8 * threads(), args.batch * row_blocks);
  const int64_t panels_each = std::max(divide_up(panels, wanted), std::min<int64_t>(8, panels));
  const int64_t column_blocks = divide_up(panels, panels_each);
  parallel_for(args.batch * column_blocks * row_blocks, 1, [&](int64_t begin, int64_t) HWY_ATTR {
    const int64_t row = begin % row_blocks * kBlockRows, rest = begin / row_blocks;
    const int64_t panel = rest % column_blocks * panels_each;
    const Block block = {.batch = rest / column_blocks,
                         .row = row,
                         .rows = std::min(kBlockRows, args.m - row),
                         .panel = panel,
                         .panels = std::min(panels_each, panels - panel)};
    with_tiles(args.packed.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
      const PackedPanels<Tiles> ready = {Tiles::numbers(args.packed, block.batch),
                                         whole_depth<Tiles>(args.k)};
      RunBlock<Tiles>(args, block, ready);
    });
  });
}

// A task packs the panels of its columns one after the other, and all of a: not for too few columns.
void SomeRows(const FewRowsArgs& given) {
  static_assert(kFewRows <= kBlockRows);
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
    const Block block = {.batch = 0, .row = 0, .rows = args.m, .panel = begin, .panels = end - begin};
    with_tiles(given.b.dtype, [&]<class Tiles>(Tiles) HWY_ATTR {
      const LyingPanels<Tiles> lying = {.from = {.b = given.b, .k = args.k, .n = args.n, .transposed = true},
                                        .packed = scratch_of<Tiles>().b};
      RunBlock<Tiles>(args, block, lying);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(PackedSize);
HWY_EXPORT(Pack);
HWY_EXPORT(Matmul);
HWY_EXPORT(SomeRows);

int64_t packed_size(int64_t k, int64_t n, DType b) { return HWY_DYNAMIC_DISPATCH(PackedSize)(k, n, b); }
void pack(const PackArgs& args) { HWY_DYNAMIC_DISPATCH(Pack)(args); }
void matmul(const MatmulArgs& args) { HWY_DYNAMIC_DISPATCH(Matmul)(args); }
void some_rows(const FewRowsArgs& args) { HWY_DYNAMIC_DISPATCH(SomeRows)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
