#include "locus/kernel/activation.h"

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/activation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// s + x s (1 - s) inner', where s is the sigmoid in x s. Beyond 10, s(1 - s) is 0 and inner' could overflow,
// so x is clamped.
template <class D, class V>
HWY_INLINE V gelu_tanh_slope(D d, V x) {
  const auto end = hn::Set(d, 10.0f), one = hn::Set(d, 1.0f);
  x = hn::IfThenElse(hn::Gt(hn::Abs(x), end), hn::CopySign(end, x), x);
  const auto s = sigmoid(d, gelu_tanh_inner(d, x));
  const auto inner = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 3 * 0.0713548163f), hn::Set(d, 1.59576912f));
  return hn::MulAdd(hn::Mul(x, s), hn::Mul(hn::Sub(one, s), inner), s);
}

// f'(x)
template <class D, Activation kActivation, class V>
HWY_INLINE V slope(D d, ActivationConstant<kActivation>, V x) {
  const auto one = hn::Set(d, 1.0f);
  if constexpr (kActivation == Activation::gelu) {
    const auto e = exp(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
    const auto density = hn::Mul(e, hn::Set(d, 0.398942280f));
    const auto tail = normal_tail(d, hn::Min(hn::Abs(x), hn::Set(d, 6.0f)));
    const auto phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
    return hn::MulAdd(x, density, phi);
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    return gelu_tanh_slope(d, x);
  } else if constexpr (kActivation == Activation::silu) {
    const auto s = sigmoid(d, x);
    return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
  } else if constexpr (kActivation == Activation::relu) {
    return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), one);
  } else if constexpr (kActivation == Activation::tanh) {
    const auto t = tanh(d, x);
    return hn::NegMulAdd(t, t, one);
  } else {
    return one;
  }
}

void activation_kernel(const ActivationArgs& args) {
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    each_piece(extent_of(args.x, args.y), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
      const float* x = args.x.row<float>(r) + begin;
      float* y = args.y.row<float>(r) + begin;
      sweep_into(y, end - begin,
                 [&](auto d, int64_t i) HWY_ATTR { return activate(d, which, hn::LoadU(d, x + i)); });
    });
  });
}

void activation_backward_kernel(const ActivationBackwardArgs& args) {
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    each_piece(extent_of(args.x, args.dy, args.dx), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
      const float* x = args.x.row<float>(r) + begin;
      const float* dy = args.dy.row<float>(r) + begin;
      float* dx = args.dx.row<float>(r) + begin;
      sweep_into<2>(dx, end - begin, [&](auto d, int64_t i) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, dy + i), slope(d, which, hn::LoadU(d, x + i)));
      });
    });
  });
}

void gated_kernel(const GatedArgs& args) {
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    each_piece(extent_of(args.gate, args.up, args.y), [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
      const float* gate = args.gate.row<float>(r) + begin;
      const float* up = args.up.row<float>(r) + begin;
      float* y = args.y.row<float>(r) + begin;
      sweep_into(y, end - begin, [&](auto d, int64_t i) HWY_ATTR {
        return hn::Mul(activate(d, which, hn::LoadU(d, gate + i)), hn::LoadU(d, up + i));
      });
    });
  });
}

template <class V>
struct GatedSlopes {
  V gate, up;
};

void gated_backward_kernel(const GatedBackwardArgs& args) {
  const Extent extent = extent_of(args.gate, args.up, args.dy, args.dgate, args.dup);
  visit_activation(args.activation, [&](auto which) HWY_ATTR {
    each_piece(extent, [&](int64_t r, int64_t begin, int64_t end) HWY_ATTR {
      const float* gate_row = args.gate.row<float>(r) + begin;
      const float* up_row = args.up.row<float>(r) + begin;
      const float* dy_row = args.dy.row<float>(r) + begin;
      float* dgate = args.dgate.row<float>(r) + begin;
      float* dup = args.dup.row<float>(r) + begin;
      sweep<2>(
          end - begin,
          [&](auto d, int64_t i) HWY_ATTR {
            const auto gate = hn::LoadU(d, gate_row + i), dy = hn::LoadU(d, dy_row + i);
            const auto through = hn::Mul(hn::Mul(dy, hn::LoadU(d, up_row + i)), slope(d, which, gate));
            return GatedSlopes<decltype(gate)>{through, hn::Mul(dy, activate(d, which, gate))};
          },
          [&](auto d, int64_t i, auto slopes) HWY_ATTR {
            hn::StoreU(slopes.gate, d, dgate + i);
            hn::StoreU(slopes.up, d, dup + i);
          });
    });
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(activation_kernel);
LOCUS_EXPORT(activation_backward_kernel);
LOCUS_EXPORT(gated_kernel);
LOCUS_EXPORT(gated_backward_kernel);

void activation(const ActivationArgs& args) { LOCUS_DISPATCH(activation_kernel)(args); }
void activation_backward(const ActivationBackwardArgs& args) {
  LOCUS_DISPATCH(activation_backward_kernel)(args);
}
void gated(const GatedArgs& args) { LOCUS_DISPATCH(gated_kernel)(args); }
void gated_backward(const GatedBackwardArgs& args) { LOCUS_DISPATCH(gated_backward_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
