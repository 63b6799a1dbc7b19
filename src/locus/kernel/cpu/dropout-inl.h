// Dropout of a run of elements (kernel/elementwise.h), per SIMD target. The random bits are Philox blocks
// (base/random.h) of four elements each, made for many blocks at a time: one array per word of the counter,
// so that the compiler's vectoriser runs across the blocks.
#if defined(LOCUS_KERNEL_CPU_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#undef LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#else
#define LOCUS_KERNEL_CPU_DROPOUT_INL_H_
#endif

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

constexpr int kBlocks = 64;

// bits[4*i + j] = word j of block first + i: Random(seed, stream).bits of the elements from 4*first on
static HWY_NOINLINE void random_bits(const Dropper& dropper, uint64_t first, uint32_t* HWY_RESTRICT bits) {
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t block = first + static_cast<uint64_t>(i);
    c0[i] = static_cast<uint32_t>(block);
    c1[i] = static_cast<uint32_t>(block >> 32);
    c2[i] = static_cast<uint32_t>(dropper.stream);
    c3[i] = static_cast<uint32_t>(dropper.stream >> 32);
  }
  auto key0 = static_cast<uint32_t>(dropper.seed), key1 = static_cast<uint32_t>(dropper.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kBlocks; ++i) {
      const uint64_t a = uint64_t{kPhiloxMultiplier0} * c0[i];
      const uint64_t b = uint64_t{kPhiloxMultiplier1} * c2[i];
      c0[i] = static_cast<uint32_t>(b >> 32) ^ c1[i] ^ key0;
      c1[i] = static_cast<uint32_t>(b);
      c2[i] = static_cast<uint32_t>(a >> 32) ^ c3[i] ^ key1;
      c3[i] = static_cast<uint32_t>(a);
    }
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  for (int i = 0; i < kBlocks; ++i) {
    bits[4 * i] = c0[i];
    bits[4 * i + 1] = c1[i];
    bits[4 * i + 2] = c2[i];
    bits[4 * i + 3] = c3[i];
  }
}

// y = keep ? x * scale : 0 for n elements, of which the first has the number `element`. y may be x.
HWY_INLINE void drop(const Dropper& dropper, const float* x, float* y, int64_t n, int64_t element) {
  uint32_t bits[4 * kBlocks];
  while (n > 0) {
    random_bits(dropper, static_cast<uint64_t>(element) / 4, bits);
    const uint32_t* here = bits + element % 4;
    const int64_t run = HWY_MIN(n, 4 * kBlocks - element % 4);
    sweep_into(y, run, [&](auto d, int64_t i) HWY_ATTR {
      const hn::RebindToUnsigned<decltype(d)> du;
      const auto dropped = hn::Lt(hn::LoadU(du, here + i), hn::Set(du, dropper.threshold));
      const auto kept = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, dropper.scale));
      return hn::IfThenZeroElse(hn::RebindMask(d, dropped), kept);
    });
    x += run;
    y += run;
    n -= run;
    element += run;
  }
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
