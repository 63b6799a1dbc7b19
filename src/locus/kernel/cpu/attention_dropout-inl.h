// Dropout of attention weights, per SIMD target.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_DROPOUT_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_DROPOUT_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_DROPOUT_INL_H_
#endif

#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Which weights of a panel are kept. Random bits are generated query by query, but weights are stored key by
// key. One bit per weight allows deciding many keys of a query in one step, then applying all queries of a
// key in one step.
class DropoutMask {
 public:
  DropoutMask(const AttentionArgs& args, const Head& head, const Panel& panel, int64_t first, int64_t keys)
      : dropper_(args.dropout, args.seed, args.stream) {
    for (uint16_t(&part)[kBlockKeys] : bits_) std::fill_n(part, keys, uint16_t{0});
    for (int64_t lane = 0; lane < panel.count; ++lane) {
      const int64_t row = head.h * args.q.rows + head.q + panel.first + lane;
      uint16_t* part = bits_[lane / kLanes];
      each_run(dropper_, row * args.longest + first, keys,
               [&, bit = 1 << lane % kLanes](int64_t begin, int64_t count, const uint16_t* halves) HWY_ATTR {
                 const uint32_t threshold = dropper_.threshold;
                 for (int64_t j = 0; j < count; ++j) {
                   const int own = halves[j] < threshold ? 0 : bit;
                   part[begin + j] = static_cast<uint16_t>(part[begin + j] | own);
                 }
               });
    }
  }

  // s[key][lane] = scale s if it is kept, else 0
  HWY_INLINE void apply(float* s, int64_t keys) const {
    const F f;
    const hn::RebindToUnsigned<F> u;
    const auto bits = hn::Shl(hn::Set(u, 1), hn::Iota(u, 0));
    const V scale = hn::Set(f, dropper_.scale);
    for (int64_t key = 0; key < keys; ++key) {
      for (int64_t part = 0; part < 3; ++part, s += kLanes) {
        const auto kept = hn::TestBit(hn::Set(u, bits_[part][key]), bits);
        hn::StoreU(hn::IfThenElseZero(hn::RebindMask(f, kept), hn::Mul(hn::LoadU(f, s), scale)), f, s);
      }
    }
  }

 private:
  static_assert(kLanes <= 16 && kCols == 3 * kLanes);
  Dropper dropper_;
  uint16_t bits_[3][kBlockKeys];  // one bit per lane
};

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
