// The number formats of a matrix product, per SIMD target: how a and b are packed, and the register tile that
// multiplies them.
//
// If b is bf16, a is rounded to bf16 while it is packed, and sums are f32. CPUs with BFMMLA use it
// (bfmmla.h). Other CPUs use the f32 tile, in which products of bf16 numbers are exact; there packed b is f32
// and each number takes two elements of the bf16 view.
#if defined(LOCUS_KERNEL_CPU_MATMUL_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_MATMUL_TILES_INL_H_
#undef LOCUS_KERNEL_CPU_MATMUL_TILES_INL_H_
#else
#define LOCUS_KERNEL_CPU_MATMUL_TILES_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/kernel/cpu/bfmmla.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pack-inl.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Slices of k are multiples of kStep and at most kMaxDepth deep.
struct FloatTiles {
  using Number = float;
  static constexpr int64_t kStep = 1, kMaxDepth = kDepth;

  static int64_t elements_per_number(DType b) {
    return b == DType::bf16 ? 2 : 1;
  }  // elements of the packed view per number
  template <class Byte>
  static auto* numbers(const BasicView<Byte>& packed, int64_t batch) {
    using Pointer = typename BasicView<Byte>::template Element<float>*;
    return packed.dtype == DType::bf16 ? reinterpret_cast<Pointer>(packed.template row<Bf16>(batch))
                                       : packed.template row<float>(batch);
  }
  static void pack_panel(const PackArgs& args, int64_t batch, int64_t column, float* out) {
    const int64_t row = batch * (args.transposed ? args.n : args.k), stride = args.b.stride;
    if (args.b.dtype == DType::bf16) {
      pack_b(args.b.row<Bf16>(row), stride, args.k, column, args.n, out);
    } else {
      pack_b(args.b.row<float>(row), stride, args.transposed, args.k, column, args.n, out);
    }
  }
  static void pack_rows(const MatmulArgs& args, int64_t batch, int64_t row, int64_t rows, int64_t k,
                        int64_t depth, float* out) {
    const float* a = args.a.row<float>(batch * (args.a_transposed ? args.k : args.m));
    pack_a(a, args.a.stride, args.a_transposed, row, rows, k, depth, out);
    if (args.packed.dtype != DType::bf16) return;
    sweep_into(out, tile_rows(rows) * depth,
               [&](auto d, int64_t i) HWY_ATTR { return round_to_bf16(d, hn::LoadU(d, out + i)); });
  }
  static int64_t rows(int64_t left) { return tile_rows(left); }
  static void run(int64_t rows, const TileRun<float>& run) { run_tiles(rows, run); }
};

#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
struct Bf16Tiles {
  using Number = uint16_t;
  static constexpr int64_t kStep = bfmmla::kStep, kMaxDepth = 2 * kDepth;
  static_assert(kRows == bfmmla::kRows && kCols == bfmmla::kCols);

  static int64_t elements_per_number(DType) { return 1; }
  template <class Byte>
  static auto* numbers(const BasicView<Byte>& packed, int64_t batch) {
    using Pointer = typename BasicView<Byte>::template Element<uint16_t>*;
    return reinterpret_cast<Pointer>(packed.template row<Bf16>(batch));
  }
  static void pack_panel(const PackArgs& args, int64_t batch, int64_t column, uint16_t* out) {
    const auto* b = reinterpret_cast<const uint16_t*>(args.b.row<Bf16>(batch * args.n + column));
    bfmmla::pack_b(b, args.b.stride, std::min(kCols, args.n - column), args.k, out);
  }
  static void pack_rows(const MatmulArgs& args, int64_t batch, int64_t row, int64_t rows, int64_t k,
                        int64_t depth, uint16_t* out) {
    const float* a = args.a.row<float>(batch * args.m + row) + k;
    bfmmla::pack_a(a, args.a.stride, rows, Bf16Tiles::rows(rows), depth, out);
  }
  static int64_t rows(int64_t left) { return left <= 2 ? 2 : left <= 4 ? 4 : kRows; }
  static void run(int64_t rows, const TileRun<uint16_t>& run) { bfmmla::run_tiles(rows, run); }
};
#endif

// Calls f with the tile type for a b of this dtype.
template <class F>
HWY_INLINE auto with_tiles([[maybe_unused]] DType b, F f) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if (b == DType::bf16 && has_bfmmla()) return f(Bf16Tiles());
#endif
  return f(FloatTiles());
}

template <class Tiles>
int64_t padded_depth(int64_t k) {
  return divide_up(k, Tiles::kStep) * Tiles::kStep;
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
