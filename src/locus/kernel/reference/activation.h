// f(x) and f'(x) of every activation, in double.
#pragma once

#include <cmath>
#include <numbers>

#include "locus/kernel/activation.h"

namespace locus::kernel::reference {

inline double gelu_tanh_inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

inline double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::gelu:
      return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(gelu_tanh_inner(x)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::relu:
      return x <= 0 ? 0 : x;  // written this way, NaN stays NaN
    case Activation::tanh:
      return std::tanh(x);
  }
  return x;
}

inline double activate_slope(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return 1;
    case Activation::gelu: {
      const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
      return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * density;
    }
    case Activation::gelu_tanh: {
      const double t = std::tanh(gelu_tanh_inner(x));
      const double inner_slope = std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner_slope;
    }
    case Activation::silu: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::relu:
      return x <= 0 ? 0 : 1;
    case Activation::tanh: {
      const double t = std::tanh(x);
      return 1 - t * t;
    }
  }
  return 1;
}

}  // namespace locus::kernel::reference
