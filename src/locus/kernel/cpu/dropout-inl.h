// Dropout of a range of elements (kernel/elementwise.h), per SIMD target. The random bits are Philox blocks
// (base/random.h) of eight elements each, one block per lane.
#if defined(LOCUS_KERNEL_CPU_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#undef LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#else
#define LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#endif

#include <cstring>

#include "locus/base/random.h"
#include "locus/kernel/cpu/sweep-inl.h"
#include "locus/kernel/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

struct Dropper {
  uint64_t seed, stream;
  uint32_t threshold;
  float scale;

  Dropper(float rate, uint64_t seed_, uint64_t stream_)
      : seed(seed_),
        stream(stream_),
        threshold(dropout_threshold(rate)),
        scale(static_cast<float>(1 / (1 - static_cast<double>(rate)))) {}
};

using Words = hn::ScalableTag<uint32_t>;
using WordVector = hn::Vec<Words>;

struct WideProduct {
  WordVector low, high;
};

// The 64-bit products of every lane of a and b. b has the same value in all lanes.
HWY_INLINE WideProduct multiply_wide(WordVector a, WordVector b) {
  const Words d;
#if HWY_TARGET == HWY_NEON
  // Two instructions that Highway does not expose; its MulEven needs a shuffle for each.
  const WordVector first(vreinterpretq_u32_u64(vmull_u32(vget_low_u32(a.raw), vget_low_u32(b.raw))));
  const WordVector second(vreinterpretq_u32_u64(vmull_high_u32(a.raw, b.raw)));
  return {hn::ConcatEven(d, second, first), hn::ConcatOdd(d, second, first)};
#elif HWY_TARGET == HWY_SCALAR
  const uint64_t product = uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  return {hn::Set(d, static_cast<uint32_t>(product)), hn::Set(d, static_cast<uint32_t>(product >> 32))};
#else
  const hn::RepartitionToWide<Words> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  return {hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even)),
          hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)))};
#endif
}

// One block per lane: word j of each block is in cj.
struct Blocks {
  WordVector c0, c1, c2, c3;

  HWY_INLINE Blocks(const Dropper& dropper, uint64_t first) {
    const Words d;
    const auto low = hn::Set(d, static_cast<uint32_t>(first));
    c0 = hn::Add(low, hn::Iota(d, 0));
    // If the low word has wrapped around, the high word is one larger. A set lane of a mask is -1.
    const auto wrapped = hn::VecFromMask(d, hn::Lt(c0, low));
    c1 = hn::Sub(hn::Set(d, static_cast<uint32_t>(first >> 32)), wrapped);
    c2 = hn::Set(d, static_cast<uint32_t>(dropper.stream));
    c3 = hn::Set(d, static_cast<uint32_t>(dropper.stream >> 32));
  }
  HWY_INLINE void round(uint32_t key0, uint32_t key1) {
    const Words d;
    const WideProduct a = multiply_wide(c0, hn::Set(d, kPhiloxMultiplier0));
    const WideProduct b = multiply_wide(c2, hn::Set(d, kPhiloxMultiplier1));
    c0 = hn::Xor(b.high, hn::Xor(c1, hn::Set(d, key0)));
    c1 = b.low;
    c2 = hn::Xor(a.high, hn::Xor(c3, hn::Set(d, key1)));
    c3 = a.low;
  }
};

constexpr int64_t kHalfWords = 4 * 8 * HWY_LANES(uint32_t);

// halves[i] = Random(seed, stream).half of element 8 * first + i, for i < kHalfWords. Four vectors of blocks
// are interleaved, because the steps of a round depend on each other.
static HWY_NOINLINE void random_halves(const Dropper& dropper, uint64_t first, uint16_t* halves) {
  const Words d;
  constexpr auto kLanes32 = static_cast<uint64_t>(HWY_LANES(uint32_t));
  Blocks w(dropper, first), x(dropper, first + kLanes32), y(dropper, first + 2 * kLanes32),
      z(dropper, first + 3 * kLanes32);
  auto key0 = static_cast<uint32_t>(dropper.seed), key1 = static_cast<uint32_t>(dropper.seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    w.round(key0, key1);
    x.round(key0, key1);
    y.round(key0, key1);
    z.round(key0, key1);
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  uint32_t words[kHalfWords / 2];
  hn::StoreInterleaved4(w.c0, w.c1, w.c2, w.c3, d, words);
  hn::StoreInterleaved4(x.c0, x.c1, x.c2, x.c3, d, words + 4 * kLanes32);
  hn::StoreInterleaved4(y.c0, y.c1, y.c2, y.c3, d, words + 8 * kLanes32);
  hn::StoreInterleaved4(z.c0, z.c1, z.c2, z.c3, d, words + 12 * kLanes32);
  std::memcpy(halves, words, sizeof words);
}

// Calls f(i, count, halves) for ranges that cover n elements, the first of which has the index `element`.
// halves has the random bits of the elements i to i + count of the range.
template <class F>
HWY_INLINE void each_run(const Dropper& dropper, int64_t element, int64_t n, F f) {
  uint16_t halves[kHalfWords];
  for (int64_t i = 0; i < n;) {
    const int64_t number = element + i, within = number % 8, count = HWY_MIN(n - i, kHalfWords - within);
    random_halves(dropper, static_cast<uint64_t>(number) / 8, halves);
    f(i, count, halves + within);
    i += count;
  }
}

// y = keep ? x * scale : 0 for n elements, the first of which has the index `element`. y may be the memory of
// x.
HWY_INLINE void drop(const Dropper& dropper, const float* x, float* y, int64_t n, int64_t element) {
  each_run(dropper, element, n, [&](int64_t begin, int64_t count, const uint16_t* halves) HWY_ATTR {
    sweep_into(y + begin, count, [&](auto d, int64_t i) HWY_ATTR {
      const hn::RebindToUnsigned<decltype(d)> du;
      const auto bits = hn::PromoteTo(du, hn::LoadU(hn::Rebind<uint16_t, decltype(d)>(), halves + i));
      const auto dropped = hn::Lt(bits, hn::Set(du, dropper.threshold));
      const auto kept = hn::Mul(hn::LoadU(d, x + begin + i), hn::Set(d, dropper.scale));
      return hn::IfThenZeroElse(hn::RebindMask(d, dropped), kept);
    });
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
