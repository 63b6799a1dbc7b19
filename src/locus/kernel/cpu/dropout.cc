// Dropout. The random bits are Philox blocks (base/random.h) of four elements each, made for many blocks at a
// time: one array per word of the counter, so that the compiler's vectoriser runs across the blocks.
#include "locus/base/random.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/dropout.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

constexpr int kBlocks = 64;

// bits[4*i + j] = word j of block first + i: Random(seed, stream).bits of the elements from 4*first on
HWY_NOINLINE void random_bits(const DropoutArgs& args, uint64_t first, uint32_t* HWY_RESTRICT bits) {
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t block = first + static_cast<uint64_t>(i);
    c0[i] = static_cast<uint32_t>(block);
    c1[i] = static_cast<uint32_t>(block >> 32);
    c2[i] = static_cast<uint32_t>(args.stream);
    c3[i] = static_cast<uint32_t>(args.stream >> 32);
  }
  auto key0 = static_cast<uint32_t>(args.seed), key1 = static_cast<uint32_t>(args.seed >> 32);
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

// y = keep ? x * scale : 0 for n elements whose bits are given
HWY_INLINE void drop(const float* x, float* y, const uint32_t* bits, int64_t n, uint32_t threshold,
                     float scale) {
  sweep_into(y, n, [&](auto d, int64_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto dropped = hn::Lt(hn::LoadU(du, bits + i), hn::Set(du, threshold));
    const auto kept = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, scale));
    return hn::IfThenZeroElse(hn::RebindMask(d, dropped), kept);
  });
}

void dropout_kernel(const DropoutArgs& args) {
  const uint32_t threshold = dropout_threshold(args.rate);
  const float scale = static_cast<float>(1 / (1 - static_cast<double>(args.rate)));
  const Extent extent = extent_of(args.x, args.y);
  each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    uint32_t bits[4 * kBlocks];
    for (int64_t c = begin; c < end;) {
      const int64_t element = r * extent.cols + c;
      random_bits(args, static_cast<uint64_t>(element) / 4, bits);
      const int64_t offset = element % 4;  // of this element in its block
      const int64_t n = HWY_MIN(end - c, 4 * kBlocks - offset);
      drop(args.x.row<float>(r) + c, args.y.row<float>(r) + c, bits + offset, n, threshold, scale);
      c += n;
    }
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(dropout_kernel);

void dropout(const DropoutArgs& args) { HWY_DYNAMIC_DISPATCH(dropout_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
