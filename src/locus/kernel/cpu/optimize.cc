#include "locus/kernel/optimize.h"

#include <cmath>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/optimize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

void adamw_kernel(const AdamWArgs& args) {
  // The bias corrections are the same for all elements: of m it joins the rate, of v it comes behind the
  // root.
  const double b1 = static_cast<double>(args.beta1), b2 = static_cast<double>(args.beta2);
  const double rate = static_cast<double>(args.rate), step = static_cast<double>(args.step);
  const auto step_size = static_cast<float>(-rate / (1 - std::pow(b1, step)));
  const auto root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(b2, step)));
  const auto keep = static_cast<float>(1 - rate * static_cast<double>(args.decay));
  const auto rest1 = static_cast<float>((1 - b1) * static_cast<double>(args.scale));
  const auto rest2 = static_cast<float>(1 - b2);
  const Extent extent = extent_of(args.gradient, args.parameter, args.first, args.second);
  each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* gradient = args.gradient.row<float>(r) + begin;
    float* parameter = args.parameter.row<float>(r) + begin;
    float* first = args.first.row<float>(r) + begin;
    float* second = args.second.row<float>(r) + begin;
    sweep(end - begin, [&](auto d, int64_t i) HWY_ATTR {
      const auto raw = hn::LoadU(d, gradient + i), g = hn::Mul(raw, hn::Set(d, args.scale));
      const auto m =
          hn::MulAdd(hn::Set(d, args.beta1), hn::LoadU(d, first + i), hn::Mul(hn::Set(d, rest1), raw));
      const auto v = hn::MulAdd(hn::Set(d, args.beta2), hn::LoadU(d, second + i),
                                hn::Mul(hn::Mul(hn::Set(d, rest2), g), g));
      const auto root = hn::MulAdd(hn::Sqrt(v), hn::Set(d, root_scale), hn::Set(d, args.eps));
      const auto decayed = hn::Mul(hn::LoadU(d, parameter + i), hn::Set(d, keep));
      hn::StoreU(m, d, first + i);
      hn::StoreU(v, d, second + i);
      hn::StoreU(hn::MulAdd(hn::Set(d, step_size), hn::Div(m, root), decayed), d, parameter + i);
    });
  });
}

void sgd_kernel(const SgdArgs& args) {
  const bool has_velocity = static_cast<bool>(args.velocity), fresh = args.step == 1;
  const Extent extent =
      extent_of(args.gradient, args.parameter, has_velocity ? args.velocity : args.parameter);
  each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
    const float* gradient = args.gradient.row<float>(r) + begin;
    float* parameter = args.parameter.row<float>(r) + begin;
    float* velocity = has_velocity ? args.velocity.row<float>(r) + begin : nullptr;
    sweep(end - begin, [&](auto d, int64_t i) HWY_ATTR {
      const auto momentum = hn::Set(d, args.momentum);
      const auto p = hn::LoadU(d, parameter + i);
      const auto g =
          hn::MulAdd(hn::Set(d, args.scale), hn::LoadU(d, gradient + i), hn::Mul(hn::Set(d, args.decay), p));
      auto move = g;
      if (has_velocity) {
        const auto u = fresh ? g : hn::MulAdd(momentum, hn::LoadU(d, velocity + i), g);
        hn::StoreU(u, d, velocity + i);
        move = args.nesterov ? hn::MulAdd(momentum, u, g) : u;
      }
      hn::StoreU(hn::NegMulAdd(hn::Set(d, args.rate), move, p), d, parameter + i);
    });
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(adamw_kernel);
HWY_EXPORT(sgd_kernel);

void adamw(const AdamWArgs& args) { HWY_DYNAMIC_DISPATCH(adamw_kernel)(args); }
void sgd(const SgdArgs& args) { HWY_DYNAMIC_DISPATCH(sgd_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
