// Elementwise kernels.
#include "locus/base/half.h"
#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {
namespace {

// out = f(x) for every element.
template <class F>
__device__ void map(const NumbersIn& x, const NumbersOut& out, F f) {
  each_eight(x.rows, x.cols, [&](int64_t r, int64_t c, int count) {
    float values[8];
    load(x, r, c, count, values);
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = f(values[i]);
    store(out, r, c, count, values);
  });
}
// out = f(a, b).
template <class F>
__device__ void map(const NumbersIn& a, const NumbersIn& b, const NumbersOut& out, F f) {
  each_eight(a.rows, a.cols, [&](int64_t r, int64_t c, int count) {
    float values[8], others[8];
    load(a, r, c, count, values);
    load(b, r, c, count, others);
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = f(values[i], others[i]);
    store(out, r, c, count, values);
  });
}
// Calls f with the activation as a constant, so that it is chosen once and not for every element.
template <class F>
__device__ void with_activation(int activation, F f) {
  switch (activation) {
    case kGelu:
      return f(std::integral_constant<int, kGelu>());
    case kGeluTanh:
      return f(std::integral_constant<int, kGeluTanh>());
    case kSilu:
      return f(std::integral_constant<int, kSilu>());
    case kRelu:
      return f(std::integral_constant<int, kRelu>());
    case kTanh:
      return f(std::integral_constant<int, kTanh>());
    default:
      return f(std::integral_constant<int, kNone>());
  }
}

}  // namespace

LOCUS_KERNEL locus_add(const BinaryParams p) {
  map(p.a, p.b, p.out, [](float a, float b) { return a + b; });
}
LOCUS_KERNEL locus_multiply(const BinaryParams p) {
  map(p.a, p.b, p.out, [](float a, float b) { return a * b; });
}
LOCUS_KERNEL locus_scale(const ScaleParams p) {
  map(p.x, p.out, [&](float x) { return p.factor * x; });
}

LOCUS_KERNEL locus_bias(const BiasParams p) {
  each_eight(p.x.rows, p.x.cols, [&](int64_t r, int64_t c, int count) {
    float values[8], bias[8];
    load(p.x, r, c, count, values);
    load(p.bias, c, count, bias);
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] += bias[i];
    store(p.out, r, c, count, values);
  });
}

LOCUS_KERNEL locus_fill(const FillParams p) {
  each(p.out.rows, p.out.cols, [&](int64_t r, int64_t c) { p.out.at(r, c) = p.value; });
}

// The index of an element counts the elements of x, whatever its stride.
LOCUS_KERNEL locus_dropout(const DropoutParams p) {
  each_eight(p.x.rows, p.x.cols, [&](int64_t r, int64_t c, int count) {
    float values[8];
    load(p.x, r, c, count, values);
    drop(p.dropout, static_cast<uint64_t>(r * p.x.cols + c), values);
    store(p.y, r, c, count, values);
  });
}

LOCUS_KERNEL locus_activation(const ActivationParams p) {
  with_activation(p.activation,
                  [&](auto kind) { map(p.x, p.y, [&](float x) { return activate(kind, x); }); });
}
LOCUS_KERNEL locus_activation_backward(const ActivationParams p) {
  with_activation(p.activation, [&](auto kind) {
    map(p.x, p.dy, p.y, [&](float x, float dy) { return dy * activate_slope(kind, x); });
  });
}
LOCUS_KERNEL locus_gated(const GatedParams p) {
  with_activation(p.activation, [&](auto kind) {
    map(p.gate, p.up, p.y, [&](float gate, float up) { return activate(kind, gate) * up; });
  });
}
LOCUS_KERNEL locus_gated_backward(const GatedParams p) {
  each_eight(p.gate.rows, p.gate.cols, [&](int64_t r, int64_t c, int count) {
    float gate[8], up[8], dy[8];
    load(p.gate, r, c, count, gate);
    load(p.up, r, c, count, up);
    load(p.dy, r, c, count, dy);
    with_activation(p.activation, [&](auto kind) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float slope = activate_slope(kind, gate[i]), value = activate(kind, gate[i]);
        gate[i] = dy[i] * up[i] * slope;
        up[i] = dy[i] * value;
      }
    });
    store(p.dgate, r, c, count, gate);
    store(p.dup, r, c, count, up);
  });
}

LOCUS_KERNEL locus_adamw(const AdamWParams p) {
  each(p.gradient.rows, p.gradient.cols, [&](int64_t r, int64_t c) {
    const float g = p.scale * p.gradient.at(r, c);
    const float m = p.beta1 * p.first.at(r, c) + p.rest1 * g;
    const float v = p.beta2 * p.second.at(r, c) + p.rest2 * g * g;
    const float move = m * p.correction1 / (sqrtf(v * p.correction2) + p.eps);
    p.first.at(r, c) = m;
    p.second.at(r, c) = v;
    p.parameter.at(r, c) = p.parameter.at(r, c) * p.keep - p.rate * move;
  });
}

LOCUS_KERNEL locus_gather(const GatherParams p) {
  each_eight(p.out.rows, p.out.cols, [&](int64_t r, int64_t c, int count) {
    float values[8];
    load(p.table, p.ids[r], c, count, values);
    store(p.out, r, c, count, values);
  });
}

// Out = x / divisor in every element.
LOCUS_KERNEL locus_spread(const SpreadParams p) {
  const auto value = static_cast<float>(p.x[0] / p.divisor);
  const float values[8] = {value, value, value, value, value, value, value, value};
  each_eight(p.out.rows, p.out.cols,
             [&](int64_t r, int64_t c, int count) { store(p.out, r, c, count, values); });
}

// A thread for a column of the values of a token, whose first D are also components of its key.
LOCUS_KERNEL locus_extend_room(const ExtendRoomParams p) {
  constexpr int64_t kBlock = 16;  // kRoomBlock
  const int64_t width = p.room_values.cols, D = p.keys.cols / p.key_heads;
  const int64_t tokens = p.room_values.rows / p.key_heads;
  each(p.keys.rows, p.key_heads * width, [&](int64_t i, int64_t column) {
    const int64_t g = column / width, c = column % width, j = p.count + i;
    p.room_values.at(g * tokens + j, c) = c < D ? p.values.at(i, g * D + c) : 0;
    if (c < D) {
      p.room_keys.at((g * (tokens / kBlock) + j / kBlock) * D + c, j % kBlock) = p.keys.at(i, g * D + c);
    }
  });
}

}  // namespace locus::kernel::cuda
