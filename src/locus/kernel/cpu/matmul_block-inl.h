// A block of a matrix product, per SIMD target: some rows of c and some panels of its columns. The rows of a
// are packed slice by slice of k, and the register tile (tile-inl.h) runs over them with panels of b,
// wherever those come from. No element's arithmetic depends on which block it is in.
#if defined(LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#undef LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#else
#define LOCUS_KERNEL_CPU_MATMUL_BLOCK_INL_H_
#endif

#include <algorithm>
#include <array>

#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/matmul_tiles-inl.h"
#include "locus/kernel/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

struct Block {
  int64_t batch, row, rows, panel, panels;  // rows of c, panels of b
};

// What follows the sum: bias and activation of `rows` rows of a whole tile, while it is in the first-level
// cache.
inline void Finish(const MatmulArgs& args, int64_t column, int64_t rows, float* c, int64_t stride) {
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
  constexpr int64_t rows = kBlockRows * kPackedPieces * Tiles::kMost;
  static_assert((rows + kCols * Tiles::kMost) * sizeof(Number) <= kScratch);
  auto* a = reinterpret_cast<Number*>(thread_scratch());
  return {a, a + rows};
}

// How deep so many rows of a may be packed in their place: fewer than kBlockRows deeper.
template <class Tiles>
constexpr int64_t deepest(int64_t rows) {
  return kBlockRows / rows * kPackedPieces * Tiles::kMost;
}

// The depth of even cuts of `whole`, none deeper than `most`.
template <class Tiles>
int64_t even(int64_t whole, int64_t most) {
  return whole_depth<Tiles>(divide_up(whole, divide_up(whole, most)));
}

// Panels give a piece of one, and say what tile i of n should ask for of a piece that comes next. Rows of a
// are packed piece by piece: the tiles then read one stream, which the processor foresees.
template <class Tiles, class Panels>
void RunBlock(const MatmulArgs& args, const Block& block, const Panels& panels) {
  auto* packed = scratch_of<Tiles>().a;
  const int64_t whole = whole_depth<Tiles>(args.k), tiles = divide_up(block.rows, kRows);
  const int64_t slice = even<Tiles>(whole, deepest<Tiles>(tiles * kRows));
  const int64_t piece = even<Tiles>(slice, Tiles::kMost);
  const auto rows_at = [&](int64_t r, int64_t done, int64_t part) {
    return packed + done * tiles * kRows + r * part;
  };
  for (int64_t k = 0; k < whole; k += slice) {
    const int64_t depth = std::min(slice, whole - k);
    for (int64_t done = 0; done < depth; done += piece) {
      const int64_t at = k + done, part = std::min(piece, depth - done);
      for (int64_t r = 0; r < block.rows; r += kRows) {
        Tiles::pack_rows(args, block.batch, block.row + r, std::min(kRows, block.rows - r), at,
                         std::min(part, args.k - at), rows_at(r, done, part));
      }
    }
    for (int64_t panel = block.panel; panel < block.panel + block.panels; ++panel) {
      for (int64_t done = 0; done < depth; done += piece) {
        const int64_t at = k + done, part = std::min(piece, depth - done);
        const auto* b = panels.at(panel, at, part);
        const bool ends = done + part == depth;
        for (int64_t i = 0; i < tiles; ++i) {
          const int64_t r = i * kRows, rows = std::min(kRows, block.rows - r);
          RunTile<Tiles>(args, block, rows_at(r, done, part), b, block.row + r, rows, panel, at, part,
                         panels.ahead(ends ? panel + 1 : panel, ends ? k : at + part, part, i, tiles));
        }
      }
    }
  }
}

// No product to add: c = f(bias), or c as it was.
inline void RunEmpty(const MatmulArgs& args) {
  if (args.accumulate) return;
  for (int64_t r = 0; r < args.c.rows; ++r) {
    for (int64_t column = 0; column < args.n; column += kCols) {
      HWY_ALIGN float tile[kCols] = {};
      Finish(args, column, 1, tile, kCols);
      std::copy_n(tile, std::min(kCols, args.n - column), args.c.row<float>(r) + column);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
