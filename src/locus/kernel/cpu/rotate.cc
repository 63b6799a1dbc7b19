#include "locus/kernel/rotate.h"

#include <cstring>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/rotate.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Copies the elements of a head after `width`, unless x and y are the same memory.
HWY_INLINE void pass_through(const RotateArgs& args, const float* x, float* y) {
  if (x == y || args.width == args.head_size) return;
  std::memcpy(y + args.width, x + args.width,
              static_cast<size_t>(args.head_size - args.width) * sizeof(float));
}

template <class V>
struct Pair {
  V first, second;
};

// Both elements of a pair are read before either is written, because y may be the memory of x.
template <bool kInterleaved, bool kBackward>
HWY_INLINE void rotate_head(const float* x, float* y, const float* cos, const float* sin, int64_t half) {
  const auto rotated = [&](auto d, int64_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    V a, b;
    if constexpr (kInterleaved) {
      hn::LoadInterleaved2(d, x + 2 * i, a, b);
    } else {
      a = hn::LoadU(d, x + i);
      b = hn::LoadU(d, x + half + i);
    }
    const V c = hn::LoadU(d, cos + i), s = hn::LoadU(d, sin + i);
    if constexpr (kBackward) {
      return Pair<V>{hn::MulAdd(b, s, hn::Mul(a, c)), hn::NegMulAdd(a, s, hn::Mul(b, c))};
    } else {
      return Pair<V>{hn::NegMulAdd(b, s, hn::Mul(a, c)), hn::MulAdd(a, s, hn::Mul(b, c))};
    }
  };
  sweep(half, rotated, [&](auto d, int64_t i, const auto& pair) HWY_ATTR {
    if constexpr (kInterleaved) {
      hn::StoreInterleaved2(pair.first, pair.second, d, y + 2 * i);
    } else {
      hn::StoreU(pair.first, d, y + i);
      hn::StoreU(pair.second, d, y + half + i);
    }
  });
}

template <bool kInterleaved, bool kBackward>
HWY_INLINE void rotate_rows(const RotateArgs& args) {
  const int32_t* rows = args.rows.as<int32_t>();
  parallel_for(args.x.rows, row_grain(args.x.cols), [&](int64_t begin, int64_t end) HWY_ATTR {
    const int64_t half = args.width / 2, heads = args.heads, head_size = args.head_size;
    for (int64_t n = begin; n < end; ++n) {
      const float* cos = args.cos.row<float>(rows[n]);
      const float* sin = args.sin.row<float>(rows[n]);
      const float* x = args.x.row<float>(n);
      float* y = args.y.row<float>(n);
      for (int64_t h = 0; h < heads; ++h, x += head_size, y += head_size) {
        // Heads of 64 are common. A constant size needs no loop.
        if (half == 32) {
          rotate_head<kInterleaved, kBackward>(x, y, cos, sin, 32);
        } else {
          rotate_head<kInterleaved, kBackward>(x, y, cos, sin, half);
        }
        pass_through(args, x, y);
      }
    }
  });
}

void rotate_kernel(const RotateArgs& args) {
  if (args.interleaved) {
    args.backward ? rotate_rows<true, true>(args) : rotate_rows<true, false>(args);
  } else {
    args.backward ? rotate_rows<false, true>(args) : rotate_rows<false, false>(args);
  }
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(rotate_kernel);

void rotate(const RotateArgs& args) { LOCUS_DISPATCH(rotate_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
