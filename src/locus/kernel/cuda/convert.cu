// Converts numbers between formats. Halves pass through f32; f64 is rounded to f32 first, unless it stays
// f64.
#include "locus/base/half.h"
#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {
namespace {

__device__ void convert_number(const ConvertParams& p, int64_t from, int64_t to) {
  const auto of = [&]<class T>(T) { return reinterpret_cast<const T*>(p.from.data)[from]; };
  const auto put = [&]<class T>(T value) { reinterpret_cast<T*>(p.to.data)[to] = value; };
  if (p.from_format == p.to_format) {  // the same bits, also those of NaN
    if (p.from_format == kF32) put(of(uint32_t{}));
    if (p.from_format == kF64) put(of(uint64_t{}));
    if (p.from_format == kBf16 || p.from_format == kF16) put(of(uint16_t{}));
    return;
  }
  float x = 0;
  if (p.from_format == kF64) x = static_cast<float>(of(double{}));
  if (p.from_format == kF32) x = of(float{});
  if (p.from_format == kBf16) x = to_f32(of(Bf16{}));
  if (p.from_format == kF16) x = to_f32(of(F16{}));
  if (p.to_format == kF64) put(static_cast<double>(x));
  if (p.to_format == kF32) put(x);
  if (p.to_format == kBf16) put(to_bf16(x));
  if (p.to_format == kF16) put(to_f16(x));
}

}  // namespace

LOCUS_KERNEL locus_convert(const ConvertParams p) {
  each_eight(p.from.rows, p.from.cols, [&](int64_t r, int64_t c, int count) {
    const int64_t from = r * p.from.stride + c, to = r * p.to.stride + c;
    if (p.wide && count == 8 && p.from_format == kF32 && p.to_format == kBf16) {
      const auto* const numbers = reinterpret_cast<const float4*>(p.from.data + 4 * from);
      const float4 low = numbers[0], high = numbers[1];
      const auto both = [](float x, float y) { return to_bf16(x).bits | uint32_t{to_bf16(y).bits} << 16; };
      *reinterpret_cast<uint4*>(p.to.data + 2 * to) =
          uint4{both(low.x, low.y), both(low.z, low.w), both(high.x, high.y), both(high.z, high.w)};
    } else {
      for (int i = 0; i < count; ++i) convert_number(p, from + i, to + i);
    }
  });
}

}  // namespace locus::kernel::cuda
