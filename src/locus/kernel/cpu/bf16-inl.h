// Conversion between the bits of f32 and bf16, both in 32-bit lanes. The result has the same bits as
// base/half.h on every target; Highway's own conversions differ between targets in rounding and NaNs.
#if defined(LOCUS_KERNEL_CPU_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_BF16_INL_H_
#undef LOCUS_KERNEL_CPU_BF16_INL_H_
#else
#define LOCUS_KERNEL_CPU_BF16_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "locus/base/half.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V narrow_to_bf16(D d, V bits) {
  const auto magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu)), upper = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(upper, hn::Set(d, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fffu))));
  const auto nan = hn::Or(upper, hn::Set(d, 0x40u));
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, rounded);
}

// f32 numbers rounded to the nearest bf16 value.
template <class D, class V>
HWY_INLINE V round_to_bf16(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<16>(narrow_to_bf16(du, hn::BitCast(du, x))));
}

// One bf16 number per lane, as f32.
template <class D>
HWY_INLINE hn::Vec<D> load_bf16(D d, const Bf16* from) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> dh;
  const auto halves = hn::LoadU(dh, reinterpret_cast<const uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, halves)));
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
