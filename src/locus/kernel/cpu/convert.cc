// Conversion between f32 and the 16-bit formats. The results have the same bits as base/half.h on every
// target; Highway's own conversions differ between targets in rounding and NaNs.
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/kernel/reference/reference.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/convert.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/bf16-inl.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// These functions take or return the bits of f32 numbers and of 16-bit numbers, one per 32-bit lane.
// base/half.h explains the arithmetic.
template <class D, class V>
HWY_INLINE V widen(D d, V half, Bf16) {
  (void)d;
  return hn::ShiftLeft<16>(half);
}

template <class D, class V>
HWY_INLINE V widen(D d, V half, F16) {
  const hn::Rebind<float, D> df;
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(d, 0x8000u)));
  const auto magnitude = hn::And(half, hn::Set(d, 0x7fffu));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto finite = hn::BitCast(d, hn::Mul(hn::BitCast(df, shifted), hn::Set(df, 0x1p112f)));
  const auto special = hn::Or(shifted, hn::Set(d, 0x7f800000u));
  return hn::Or(sign, hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7bffu)), special, finite));
}

template <class D, class V>
HWY_INLINE V narrow(D d, V bits, Bf16) {
  return narrow_to_bf16(d, bits);
}

template <class D, class V>
HWY_INLINE V narrow(D d, V bits, F16) {
  const hn::Rebind<float, D> df;
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1u));
  const auto normal = hn::ShiftRight<13>(
      hn::Add(hn::Sub(magnitude, hn::Set(d, 0x38000000u)), hn::Add(odd, hn::Set(d, 0xfffu))));
  const auto aligned = hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f)));
  const auto tiny = hn::Sub(aligned, hn::Set(d, 0x3f000000u));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x38800000u)), tiny, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x477fefffu)), hn::Set(d, 0x7c00u), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), hn::Set(d, 0x7e00u), half);
  return hn::Or(sign, half);
}

template <class Half>
HWY_INLINE void widen_view(ConstView from, View to) {
  each_piece(extent_of(from, to), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const auto* halves = reinterpret_cast<const uint16_t*>(from.row<Half>(r) + begin);
    float* floats = to.row<float>(r) + begin;
    sweep_into(floats, end - begin, [&](auto d, int64_t i) HWY_ATTR {
      const hn::RebindToUnsigned<decltype(d)> du;
      const hn::Rebind<uint16_t, decltype(d)> dh;
      return hn::BitCast(d, widen(du, hn::PromoteTo(du, hn::LoadU(dh, halves + i)), Half()));
    });
  });
}

template <class Half>
HWY_INLINE void narrow_view(ConstView from, View to) {
  each_piece(extent_of(from, to), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* floats = from.row<float>(r) + begin;
    auto* halves = reinterpret_cast<uint16_t*>(to.row<Half>(r) + begin);
    sweep(
        end - begin,
        [&](auto d, int64_t i) HWY_ATTR {
          const hn::RebindToUnsigned<decltype(d)> du;
          return narrow(du, hn::BitCast(du, hn::LoadU(d, floats + i)), Half());
        },
        [&](auto d, int64_t i, auto half) HWY_ATTR {
          const hn::RebindToSigned<decltype(d)> di;
          const hn::Rebind<uint16_t, decltype(d)> dh;
          hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, half)), dh, halves + i);
        });
  });
}

void convert_kernel(const ConvertArgs& args) {
  const DType from = args.from.dtype, to = args.to.dtype;
  if (from == DType::bf16 && to == DType::f32) return widen_view<Bf16>(args.from, args.to);
  if (from == DType::f16 && to == DType::f32) return widen_view<F16>(args.from, args.to);
  if (from == DType::f32 && to == DType::bf16) return narrow_view<Bf16>(args.from, args.to);
  if (from == DType::f32 && to == DType::f16) return narrow_view<F16>(args.from, args.to);
  reference::convert(args);  // pairs that no hot path uses
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(convert_kernel);

void convert(const ConvertArgs& args) { LOCUS_DISPATCH(convert_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
