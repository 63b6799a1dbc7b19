// Functions of a vector of floats, per SIMD target: exp, tanh, sigmoid, the normal distribution, and the
// activations made of them. NaN gives NaN. The polynomials are minimax fits made in double (Lawson's
// iteration on 3000 Chebyshev nodes), then rounded to float; each names its own error.
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

// e^x for x <= 88 (every use takes it of something not above 0, but for rounding); below the normal numbers,
// 0.
//   e^x = 2^n e^r,  n = round(x / ln 2),  e^r = 1 + r c(r), |r| <= ln(2)/2: relative error 9.2e-8
template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  const hn::RebindToUnsigned<D> bits;
  // Adding this rounds to a whole number, and leaves n + 127, the exponent field of 2^n, in the lowest bits.
  const auto magic = hn::Set(d, 0x1.8p23f + 127.0f);
  const auto t = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const auto n = hn::Sub(t, magic);
  // ln 2 in two parts; the first has 9 bits, so n times it is exact.
  const auto r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x));
  auto p = hn::MulAdd(r, hn::Set(d, 0.00829030573f), hn::Set(d, 0.0418979749f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.166676372f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.499991506f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.999999702f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f));
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, t)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3365448f)), hn::Mul(p, power));
}

// 1 / (1 + e^-x), from e^-|x|, which cannot overflow
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x; near 0, where that cancels, x + x^3 q(x^2), |x| < 0.625:
// relative error 4.4e-9.
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto size = hn::Abs(x);
  const auto e = exp(d, hn::Mul(size, hn::Set(d, -2.0f)));
  const auto far = hn::CopySignToAbs(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
  const auto u = hn::Mul(x, x);
  auto q = hn::MulAdd(u, hn::Set(d, -0.00570498733f), hn::Set(d, 0.020639088f));
  q = hn::MulAdd(u, q, hn::Set(d, -0.0537397154f));
  q = hn::MulAdd(u, q, hn::Set(d, 0.133314416f));
  q = hn::MulAdd(u, q, hn::Set(d, -0.333332807f));
  const auto near = hn::MulAdd(hn::Mul(x, u), q, x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.625f)), near, far);
}

// Phi(x) - 1/2 = erf(x / sqrt 2) / 2 of the normal distribution, without a division: x P(s), s = x^2 / 14.58
// - 1, which runs from -1 to 1 for |x| <= 5.4 and so keeps a polynomial of degree 14 well conditioned
// (absolute error 2.9e-8). Beyond, P stays and the product passes 1/2: the ends are exactly -1/2 and 1/2. NaN
// is lost.
template <class D, class V>
HWY_INLINE V centred_normal(D d, V x) {
  const auto u = hn::Min(hn::Mul(x, x), hn::Set(d, 29.16f));
  const auto s = hn::MulAdd(u, hn::Set(d, 0.068587102f), hn::Set(d, -1.0f));
  const auto t = hn::Mul(s, s);
  // Even and odd powers apart: two short chains of dependent steps in place of a long one.
  auto even = hn::MulAdd(t, hn::Set(d, 0.000400852587f), hn::Set(d, 0.000851874647f));
  auto odd = hn::MulAdd(t, hn::Set(d, -0.00103536912f), hn::Set(d, -0.00116678257f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.00368450349f));
  odd = hn::MulAdd(t, odd, hn::Set(d, -0.00673626363f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.0096374983f));
  odd = hn::MulAdd(t, odd, hn::Set(d, -0.0139527554f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.0196487792f));
  odd = hn::MulAdd(t, odd, hn::Set(d, -0.0257490091f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.0321161598f));
  odd = hn::MulAdd(t, odd, hn::Set(d, -0.0392065533f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.0484996103f));
  odd = hn::MulAdd(t, odd, hn::Set(d, -0.0653280616f));
  even = hn::MulAdd(t, even, hn::Set(d, 0.130928114f));
  const auto half = hn::Set(d, 0.5f);
  return hn::Max(hn::Min(hn::Mul(x, hn::MulAdd(s, odd, even)), half), hn::Neg(half));
}

// 2 sqrt(2/pi) (x + 0.044715 x^3): gelu_tanh is x sigmoid of this.
template <class D, class V>
HWY_INLINE V gelu_tanh_inner(D d, V x) {
  const auto linear = hn::Set(d, 1.59576912f), cubic = hn::Set(d, 0.0713548163f);
  return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), cubic, linear));
}

// An activation as a type, so that the choice is made once, outside the loops: visit_activation(a, [&](auto
// which) HWY_ATTR { ... activate(d, which, x) ... }).
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
    return hn::Mul(x, hn::Add(centred_normal(d, x), hn::Set(d, 0.5f)));
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    return hn::Mul(x, sigmoid(d, gelu_tanh_inner(d, x)));
  } else if constexpr (kActivation == Activation::silu) {
    return hn::Mul(x, sigmoid(d, x));
  } else if constexpr (kActivation == Activation::relu) {
    return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), x);  // not Max, which would hide a NaN
  } else if constexpr (kActivation == Activation::tanh) {
    return tanh(d, x);
  } else {
    return x;
  }
}

// row[i] = f(row[i]) for i < n
HWY_INLINE void activate_row(Activation activation, float* row, int64_t n) {
  if (activation == Activation::none) return;
  visit_activation(activation, [&](auto which) HWY_ATTR {
    sweep(n, [&](auto d, int64_t i)
                 HWY_ATTR { hn::StoreU(activate(d, which, hn::LoadU(d, row + i)), d, row + i); });
  });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
