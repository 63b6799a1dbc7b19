#include "locus/kernel/loss.h"

#include <cmath>
#include <limits>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/loss.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Elements per block: summed in f32 within a block, in double over blocks.
constexpr int64_t kBlock = 2048;
constexpr float kLowest = -std::numeric_limits<float>::infinity();

// e^x as p * power: a shorter exponential than the one in math-inl.h, enough for a softmax. x is at most 88;
// NaN is not preserved; below -87.7 the power is 0. 2^f = 1 + f c(f) for |f| <= 1/2 has a relative error of
// 9.2e-8, to which the rounded log2 e adds 1.3e-8 |x|. The polynomial is multiplied by `scale` at no cost: in
// a loop the scaled coefficients are constants.
template <class D, class V>
struct Exponential {
  V p, power;
  HWY_INLINE Exponential(D d, V x, V scale) {
    const hn::RebindToUnsigned<D> bits;
    const auto magic = hn::Set(d, 0x1.8p23f + 127.0f), log2e = hn::Set(d, 1.44269504f);
    x = hn::Max(x, hn::Set(d, -88.0f));
    const auto t = hn::MulAdd(x, log2e, magic);
    const auto f = hn::MulAdd(x, log2e, hn::Sub(magic, t));
    const auto f2 = hn::Mul(f, f);
    const auto low = hn::MulAdd(f, hn::Mul(scale, hn::Set(d, 0.693147004f)), scale);
    const auto middle =
        hn::MulAdd(f, hn::Mul(scale, hn::Set(d, 0.0555073395f)), hn::Mul(scale, hn::Set(d, 0.240222424f)));
    const auto high =
        hn::MulAdd(f, hn::Mul(scale, hn::Set(d, 0.00132646994f)), hn::Mul(scale, hn::Set(d, 0.00967153348f)));
    p = hn::MulAdd(f2, hn::MulAdd(f2, high, middle), low);
    power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, t)));
  }
};

struct BlockSum {
  float sum;      // sum of e^(x - reference)
  float largest;  // largest x
  bool suspect;   // an element is infinite or NaN: x * 0 is not 0
};

// One sweep, so that memory access and arithmetic overlap. The sum is not valid if some x is far above the
// reference.
HWY_INLINE BlockSum sum_block(const float* x, int64_t n, float reference) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto add = [&](auto tag, int64_t i, auto& sum, auto& largest, auto& zero) HWY_ATTR {
    const auto value = hn::LoadU(tag, x + i), shifted = hn::Sub(value, hn::Set(tag, reference));
    const Exponential<decltype(tag), hn::Vec<decltype(tag)>> e(tag, shifted, hn::Set(tag, 1.0f));
    sum = hn::MulAdd(e.p, e.power, sum);
    largest = hn::Max(largest, value);
    zero = hn::MulAdd(value, hn::Zero(tag), zero);
  };
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, z0 = s0, z1 = s0;
  auto m0 = hn::Set(d, kLowest), m1 = m0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    add(d, i, s0, m0, z0);
    add(d, i + lanes, s1, m1, z1);
    add(d, i + 2 * lanes, s2, m0, z0);
    add(d, i + 3 * lanes, s3, m1, z1);
  }
  auto sum = hn::Zero(one), largest = hn::Set(one, kLowest), zero = hn::Zero(one);
  for (; i < n; ++i) add(one, i, sum, largest, zero);
  const float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  // Highway's MaxOfLanes never returns less than the lowest finite number on some targets.
  HWY_ALIGN float each[hn::MaxLanes(hn::ScalableTag<float>())];
  hn::Store(hn::Max(m0, m1), d, each);
  float most = kLowest;
  for (int64_t lane = 0; lane < lanes; ++lane) most = HWY_MAX(most, each[lane]);
  const float none = hn::GetLane(hn::SumOfLanes(d, hn::Add(z0, z1))) + hn::GetLane(zero);
  return {total + hn::GetLane(sum), HWY_MAX(most, hn::GetLane(largest)), none != 0 || none != none};
}

// log sum e^x of a row, in one pass. `sum` holds sum e^(x - reference) over the blocks so far. The reference
// need not be the maximum: e^kAbove and sums of it are far below the largest float.
HWY_INLINE double log_sum_exp(const float* x, int64_t V) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr float kAbove = 40;
  double sum = 0;
  float reference = V > 0 ? x[0] : kLowest;
  for (int64_t begin = 0; begin < V; begin += kBlock) {
    const int64_t n = HWY_MIN(kBlock, V - begin);
    BlockSum block = sum_block(x + begin, n, reference);
    if (block.suspect) {
      for (int64_t i = begin; i < begin + n; ++i) {
        if (!(x[i] < -kLowest)) return kNan;
      }
    }
    if (block.largest > reference + kAbove) {
      sum *= std::exp(static_cast<double>(reference) - static_cast<double>(block.largest));
      reference = block.largest;
      block = sum_block(x + begin, n, reference);
    }
    if (reference > kLowest) sum += static_cast<double>(block.sum);
  }
  return reference > kLowest ? static_cast<double>(reference) + std::log(sum) : kNan;
}

// sum_c w[c] x[c], or sum_c w[c] if x is null; weights are 1 if null
HWY_INLINE double weighted_sum(const float* weights, const float* x, int64_t V) {
  if (!weights && !x) return static_cast<double>(V);
  double total = 0;
  for (int64_t begin = 0; begin < V; begin += kBlock) {
    total +=
        static_cast<double>(accumulate(HWY_MIN(kBlock, V - begin), [&](auto d, int64_t i, auto sum) HWY_ATTR {
          const auto one = hn::Set(d, 1.0f);
          const auto w = weights ? hn::LoadU(d, weights + begin + i) : one;
          return hn::MulAdd(w, x ? hn::LoadU(d, x + begin + i) : one, sum);
        }));
  }
  return total;
}

void cross_entropy_kernel(const CrossEntropyArgs& args) {
  const int64_t N = args.logits.rows, V = args.logits.cols;
  const float* weights = args.weights ? args.weights.row<float>(0) : nullptr;
  const double smoothing = static_cast<double>(args.smoothing);
  const double weight_sum = smoothing == 0 ? 0 : weighted_sum(weights, nullptr, V);
  parallel_for(N, divide_up(kPieceSize, HWY_MAX(int64_t{1}, V)), [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t n = begin; n < end; ++n) {
      const float* x = args.logits.row<float>(n);
      const int32_t target = args.targets.as<int32_t>()[n];
      const double lse = log_sum_exp(x, V);
      double loss = 0;
      if (target != kIgnoredTarget) {
        const double weight = weights ? static_cast<double>(weights[target]) : 1;
        loss = (1 - smoothing) * weight * (lse - static_cast<double>(x[target]));
        if (smoothing != 0) {
          loss += smoothing / static_cast<double>(V) * (lse * weight_sum - weighted_sum(weights, x, V));
        }
      }
      args.lse.row<float>(0)[n] = static_cast<float>(lse);
      args.loss.row<float>(0)[n] = static_cast<float>(loss);
    }
  });
}

// With k = dloss / divisor and w = weights[t]: dx[c] = p[c] k ((1 - s) w + s/V sum w) - s/V k w[c], and -(1 -
// s) k w at t.
void cross_entropy_backward_kernel(const CrossEntropyBackwardArgs& args) {
  const int64_t N = args.logits.rows, V = args.logits.cols;
  const float* weights = args.weights ? args.weights.row<float>(0) : nullptr;
  const double s = static_cast<double>(args.smoothing), share = s / static_cast<double>(V);
  const double weight_sum = s == 0 ? 0 : weighted_sum(weights, nullptr, V);
  const double k = static_cast<double>(static_cast<float>(at(args.dloss, 0) / args.divisor));
  parallel_for(N, divide_up(kPieceSize, HWY_MAX(int64_t{1}, V)), [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t n = begin; n < end; ++n) {
      const float* x = args.logits.row<float>(n);
      float* dx = args.dlogits.row<float>(n);
      const int32_t target = args.targets.as<int32_t>()[n];
      if (target == kIgnoredTarget) {
        std::fill_n(dx, V, 0.0f);
        continue;
      }
      const double picked = (1 - s) * k * (weights ? static_cast<double>(weights[target]) : 1);
      const float lse = args.lse.row<float>(0)[n];
      // A NaN in the row makes lse NaN, and so every gradient of the row.
      const float of_p = lse == lse ? static_cast<float>(picked + k * share * weight_sum) : lse;
      const float of_w = static_cast<float>(-k * share);
      const auto softmax = [&](auto d, int64_t i) HWY_ATTR {
        const auto shifted = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, lse));
        const Exponential<decltype(d), hn::Vec<decltype(d)>> e(d, shifted, hn::Set(d, of_p));
        return hn::Mul(e.p, e.power);
      };
      if (of_w == 0) {
        sweep_into(dx, V, softmax);
      } else {
        sweep_into(dx, V, [&](auto d, int64_t i) HWY_ATTR {
          const auto w = weights ? hn::LoadU(d, weights + i) : hn::Set(d, 1.0f);
          return hn::MulAdd(w, hn::Set(d, of_w), softmax(d, i));
        });
      }
      dx[target] -= static_cast<float>(picked);
    }
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(cross_entropy_kernel);
LOCUS_EXPORT(cross_entropy_backward_kernel);

void cross_entropy(const CrossEntropyArgs& args) { LOCUS_DISPATCH(cross_entropy_kernel)(args); }
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  LOCUS_DISPATCH(cross_entropy_backward_kernel)(args);
}

}  // namespace locus::kernel::cpu
#endif
