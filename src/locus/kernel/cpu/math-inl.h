// Functions of a vector of floats, per SIMD target: exp, tanh, sigmoid, the normal distribution, and the
// activations built from them. NaN gives NaN. The polynomials are minimax fits made in double (Lawson's
// iteration on 3000 Chebyshev nodes), then rounded to float; each comment states the error.
#if defined(LOCUS_KERNEL_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_MATH_INL_H_
#undef LOCUS_KERNEL_CPU_MATH_INL_H_
#else
#define LOCUS_KERNEL_CPU_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "locus/kernel/activation.h"
#include "locus/kernel/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A constant repeated in four lanes, the width of a NEON register.
struct alignas(16) Constant {
  float lanes[4];
  constexpr Constant(float x) : lanes{x, x, x, x} {}
};

// A constant that is the addend of a multiply-add. NEON overwrites the addend register, so a constant in a
// register would be copied each time, at the cost of an addition; loading it from memory is free. The unused
// input x stops the compiler from hoisting the load out of the loop and copying after all.
template <class D, class V>
HWY_INLINE V fma_constant([[maybe_unused]] D d, const Constant& constant, [[maybe_unused]] V x) {
#if HWY_TARGET == HWY_NEON
  decltype(x.raw) out;
  asm("ldr %q0, %1" : "=w"(out) : "m"(constant), "w"(x.raw));
  return V(out);
#else
  return hn::Set(d, constant.lanes[0]);
#endif
}

// c[0] + c[1] s + c[2] s^2 + c[3] s^3, with s2 = s^2
template <class D, class V>
HWY_INLINE V cubic_polynomial(D d, V s, V s2, const Constant (&c)[4]) {
  const auto low = hn::MulAdd(s, hn::Set(d, c[1].lanes[0]), fma_constant(d, c[0], s));
  const auto high = hn::MulAdd(s, hn::Set(d, c[3].lanes[0]), fma_constant(d, c[2], s));
  return hn::MulAdd(s2, high, low);
}

// max(low, x). NaN stays NaN, which Highway's Max does not guarantee.
template <class V>
HWY_INLINE V at_least(V low, V x) {
#if HWY_TARGET == HWY_NEON
  if constexpr (sizeof(x.raw) == 16) return V(vmaxq_f32(low.raw, x.raw));
  if constexpr (sizeof(x.raw) == 8) return V(vmax_f32(low.raw, x.raw));
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Max(low, x);  // the instruction returns its second operand if one is NaN
#else
  return hn::IfThenElse(hn::Lt(x, low), low, x);
#endif
}

// e^x for x <= 88 (every caller passes x <= 0, up to rounding). Returns 0 if e^x is below 2^-126.5.
//   e^x = 2^n e^r,  n = round(x / ln 2),  e^r = 1 + r + r^2 c(r), |r| <= ln(2)/2: relative error 1.05e-7
// ln 2 as one float makes r wrong by 1.9e-9 n, at most 2.4e-7, where e^x is tiny. (By 6e-8 x on targets whose
// multiply-add rounds twice.)
template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  // Adding this rounds to an integer and leaves n + 127, the exponent field of 2^n, in the lowest bits. At
  // -88 the field is 0, and so is the power.
  static constexpr Constant kRound = 0x1.8p23f + 127.0f;
  static constexpr Constant kSeries[] = {0.499992311f, 0.166671142f, 0.0418901555f, 0.00831252057f};
  const hn::RebindToUnsigned<D> bits;
  const auto clamped = at_least(hn::Set(d, -88.0f), x);
  const auto t = hn::MulAdd(clamped, hn::Set(d, 1.44269504f), fma_constant(d, kRound, clamped));
  const auto n = hn::Sub(t, hn::Set(d, kRound.lanes[0]));
  const auto r = hn::NegMulAdd(n, hn::Set(d, 0.693147182f), clamped);
  const auto r2 = hn::Mul(r, r);
  const auto excess = hn::MulAdd(r2, cubic_polynomial(d, r, r2, kSeries), r);
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, t)));
  return hn::MulAdd(excess, power, power);  // one operation less than p = 1 + excess and p * power
}

// 1 / (1 + e^-x), from e^-|x|, which cannot overflow
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x. For |x| < 0.625, where that cancels: x + x^3 q(x^2),
// relative error 4.4e-9.
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  static constexpr Constant kSeries[] = {-0.333332807f, 0.133314416f, -0.0537397154f, 0.020639088f};
  const auto one = hn::Set(d, 1.0f);
  const auto size = hn::Abs(x);
  const auto e = exp(d, hn::Mul(size, hn::Set(d, -2.0f)));
  const auto far = hn::CopySignToAbs(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
  const auto u = hn::Mul(x, x);
  const auto u2 = hn::Mul(u, u);
  const auto low = cubic_polynomial(d, u, u2, kSeries);
  const auto q = hn::MulAdd(hn::Mul(u2, u2), hn::Set(d, -0.00570498733f), low);
  const auto near = hn::MulAdd(hn::Mul(x, u), q, x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.625f)), near, far);
}

// 1 - Phi(x) of the normal distribution for x from 0 to 6, without a division: q(s)^8 with s = x - 3. q has
// degree 8 and approximates the eighth root, which is far smoother than the tail itself. The fit is accurate
// to 5e-9. Rounding, eight times that of q, gives an absolute error of 5e-7 near 0, and of 1.6e-7 in x (1 -
// Phi(x)). The value at 6, 1e-9, is used for every larger x.
template <class D, class V>
HWY_INLINE V normal_tail(D d, V x) {
  static constexpr Constant kLow[] = {0.43781203f, -0.179672241f, 0.0114348968f, 0.00510551222f};
  static constexpr Constant kHigh[] = {-0.000725629041f, -8.38653359e-05f, 2.24542237e-05f, 4.42182198e-07f};
  const auto s = hn::Sub(x, hn::Set(d, 3.0f));
  const auto s2 = hn::Mul(s, s), s4 = hn::Mul(s2, s2);
  const auto high = hn::MulAdd(s4, hn::Set(d, -2.88880926e-07f), cubic_polynomial(d, s, s2, kHigh));
  const auto q = hn::MulAdd(s4, high, cubic_polynomial(d, s, s2, kLow));
  const auto q2 = hn::Mul(q, q), q4 = hn::Mul(q2, q2);
  return hn::Mul(q4, q4);
}

// 2 sqrt(2/pi) (x + 0.044715 x^3): gelu_tanh(x) is x times the sigmoid of this.
template <class D, class V>
HWY_INLINE V gelu_tanh_inner(D d, V x) {
  const auto linear = hn::Set(d, 1.59576912f), cubic = hn::Set(d, 0.0713548163f);
  return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), cubic, linear));
}

// An activation as a type, so that the choice is made once, outside the loops:
//   visit_activation(a, [&](auto which) HWY_ATTR { ... activate(d, which, x) ... })
template <Activation kActivation>
using ActivationConstant = std::integral_constant<Activation, kActivation>;

template <class F>
HWY_INLINE void visit_activation(Activation activation, F f) {
  switch (activation) {
    case Activation::none:
      return f(ActivationConstant<Activation::none>());
    case Activation::gelu:
      return f(ActivationConstant<Activation::gelu>());
    case Activation::gelu_tanh:
      return f(ActivationConstant<Activation::gelu_tanh>());
    case Activation::silu:
      return f(ActivationConstant<Activation::silu>());
    case Activation::relu:
      return f(ActivationConstant<Activation::relu>());
    case Activation::tanh:
      return f(ActivationConstant<Activation::tanh>());
  }
}

template <class D, Activation kActivation, class V>
HWY_INLINE V activate([[maybe_unused]] D d, ActivationConstant<kActivation>, V x) {
  if constexpr (kActivation == Activation::gelu) {
    // max(x, 0) - |x| (1 - Phi(|x|)), with |x| clamped to the range of normal_tail()
    const auto positive = at_least(hn::Zero(d), x);
    const auto size = hn::Min(hn::Abs(x), hn::Set(d, 6.0f));
    return hn::NegMulAdd(size, normal_tail(d, size), positive);
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    return hn::Mul(x, sigmoid(d, gelu_tanh_inner(d, x)));
  } else if constexpr (kActivation == Activation::silu) {
    return hn::Mul(x, sigmoid(d, x));
  } else if constexpr (kActivation == Activation::relu) {
    return at_least(hn::Zero(d), x);
  } else if constexpr (kActivation == Activation::tanh) {
    return tanh(d, x);
  } else {
    return x;
  }
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
