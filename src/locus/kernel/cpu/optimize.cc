#include "locus/kernel/optimize.h"

#include <cmath>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/optimize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// New values of a parameter and its moments.
template <class V>
struct Updated {
  V parameter, first, second;
};

// Factors that are the same for all elements. Each piece copies them, so the compiler knows that no store
// changes them. The bias correction 1 / (1 - b1^step) of m is part of step_size; the correction of v is
// applied after the square root.
struct AdamWFactors {
  float beta1, beta2, rest1, rest2, scale, root_scale, eps, keep, step_size;

  AdamWFactors(const AdamWArgs& args, const AdamWParameter& one)
      : beta1(args.beta1), beta2(args.beta2), scale(args.scale), eps(args.eps) {
    const double b1 = static_cast<double>(beta1), b2 = static_cast<double>(beta2);
    const double rate = static_cast<double>(args.rate), step = static_cast<double>(one.step);
    rest1 = static_cast<float>((1 - b1) * static_cast<double>(scale));
    rest2 = static_cast<float>(1 - b2);
    root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(b2, step)));
    keep = static_cast<float>(1 - rate * static_cast<double>(one.decay));
    step_size = static_cast<float>(-rate / (1 - std::pow(b1, step)));
  }
};

void update(const AdamWArgs& args, const AdamWParameter& one) {
  const AdamWFactors factors(args, one);
  const Extent extent = extent_of(one.gradient, one.parameter, one.first, one.second);
  each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const AdamWFactors f = factors;
    const float* gradient = one.gradient.row<float>(r) + begin;
    float* parameter = one.parameter.row<float>(r) + begin;
    float* first = one.first.row<float>(r) + begin;
    float* second = one.second.row<float>(r) + begin;
    sweep(
        end - begin,
        [&](auto d, int64_t i) HWY_ATTR {
          const auto raw = hn::LoadU(d, gradient + i), g = hn::Mul(raw, hn::Set(d, f.scale));
          const auto m =
              hn::MulAdd(hn::Set(d, f.beta1), hn::LoadU(d, first + i), hn::Mul(hn::Set(d, f.rest1), raw));
          const auto v = hn::MulAdd(hn::Set(d, f.beta2), hn::LoadU(d, second + i),
                                    hn::Mul(hn::Mul(hn::Set(d, f.rest2), g), g));
          const auto root = hn::Add(hn::Mul(hn::Sqrt(v), hn::Set(d, f.root_scale)), hn::Set(d, f.eps));
          const auto decayed = hn::Mul(hn::LoadU(d, parameter + i), hn::Set(d, f.keep));
          return Updated<decltype(m)>{hn::MulAdd(hn::Set(d, f.step_size), hn::Div(m, root), decayed), m, v};
        },
        [&](auto d, int64_t i, auto updated) HWY_ATTR {
          hn::StoreU(updated.parameter, d, parameter + i);
          hn::StoreU(updated.first, d, first + i);
          hn::StoreU(updated.second, d, second + i);
        });
  });
}

void adamw_kernel(const AdamWArgs& args) {
  for (const AdamWParameter& one : args.list) update(args, one);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(adamw_kernel);

void adamw(const AdamWArgs& args) { LOCUS_DISPATCH(adamw_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
