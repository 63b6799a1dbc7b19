// Elementwise kernels.
#include "locus/base/half.h"
#include "locus/kernel/cuda/common.cuh"

namespace locus::kernel::cuda {

LOCUS_KERNEL locus_add(const BinaryParams p) {
  map(
      p.a.rows, p.a.cols, [&](int64_t r, int64_t c) { return p.a.at(r, c) + p.b.at(r, c); },
      [&](int64_t r, int64_t c, float value) { p.out.at(r, c) = value; });
}

LOCUS_KERNEL locus_multiply(const BinaryParams p) {
  map(
      p.a.rows, p.a.cols, [&](int64_t r, int64_t c) { return p.a.at(r, c) * p.b.at(r, c); },
      [&](int64_t r, int64_t c, float value) { p.out.at(r, c) = value; });
}

LOCUS_KERNEL locus_scale(const ScaleParams p) {
  map(
      p.x.rows, p.x.cols, [&](int64_t r, int64_t c) { return p.factor * p.x.at(r, c); },
      [&](int64_t r, int64_t c, float value) { p.out.at(r, c) = value; });
}

LOCUS_KERNEL locus_bias(const BiasParams p) {
  map(
      p.x.rows, p.x.cols, [&](int64_t r, int64_t c) { return p.x.at(r, c) + p.bias[c]; },
      [&](int64_t r, int64_t c, float value) { p.out.at(r, c) = value; });
}

LOCUS_KERNEL locus_fill(const FillParams p) {
  each(p.out.rows, p.out.cols, [&](int64_t r, int64_t c) { p.out.at(r, c) = p.value; });
}

// The index of an element counts the elements of x, whatever its stride.
LOCUS_KERNEL locus_dropout(const DropoutParams p) {
  map(
      p.x.rows, p.x.cols,
      [&](int64_t r, int64_t c) {
        return dropped(p.dropout, static_cast<uint64_t>(r * p.x.cols + c), p.x.at(r, c));
      },
      [&](int64_t r, int64_t c, float value) { p.y.at(r, c) = value; });
}

LOCUS_KERNEL locus_activation(const ActivationParams p) {
  map(
      p.x.rows, p.x.cols, [&](int64_t r, int64_t c) { return activate(p.activation, p.x.at(r, c)); },
      [&](int64_t r, int64_t c, float value) { p.y.at(r, c) = value; });
}

LOCUS_KERNEL locus_activation_backward(const ActivationParams p) {
  map(
      p.x.rows, p.x.cols,
      [&](int64_t r, int64_t c) { return p.dy.at(r, c) * activate_slope(p.activation, p.x.at(r, c)); },
      [&](int64_t r, int64_t c, float value) { p.y.at(r, c) = value; });
}

LOCUS_KERNEL locus_gated(const GatedParams p) {
  map(
      p.gate.rows, p.gate.cols,
      [&](int64_t r, int64_t c) { return activate(p.activation, p.gate.at(r, c)) * p.up.at(r, c); },
      [&](int64_t r, int64_t c, float value) { p.y.at(r, c) = value; });
}

LOCUS_KERNEL locus_gated_backward(const GatedParams p) {
  each(p.gate.rows, p.gate.cols, [&](int64_t r, int64_t c) {
    const float gate = p.gate.at(r, c), up = p.up.at(r, c), dy = p.dy.at(r, c);
    p.dgate.at(r, c) = dy * up * activate_slope(p.activation, gate);
    p.dup.at(r, c) = dy * activate(p.activation, gate);
  });
}

// Halves pass through f32; f64 is rounded to f32 first, unless it stays f64.
LOCUS_KERNEL locus_convert(const ConvertParams p) {
  each(p.from.rows, p.from.cols, [&](int64_t r, int64_t c) {
    const int64_t from = r * p.from.stride + c, to = r * p.to.stride + c;
    const auto of = [&]<class T>(T) { return reinterpret_cast<const T*>(p.from.data)[from]; };
    const auto put = [&]<class T>(T value) { reinterpret_cast<T*>(p.to.data)[to] = value; };
    if (p.from_format == p.to_format) {  // the same bits, also those of NaN
      if (p.from_format == kF32) put(of(uint32_t{}));
      if (p.from_format == kF64) put(of(uint64_t{}));
      if (p.from_format == kBf16 || p.from_format == kF16) put(of(uint16_t{}));
      return;
    }
    float x = 0;
    if (p.from_format == kF64) x = static_cast<float>(of(double{}));
    if (p.from_format == kF32) x = of(float{});
    if (p.from_format == kBf16) x = to_f32(of(Bf16{}));
    if (p.from_format == kF16) x = to_f32(of(F16{}));
    if (p.to_format == kF64) put(static_cast<double>(x));
    if (p.to_format == kF32) put(x);
    if (p.to_format == kBf16) put(to_bf16(x));
    if (p.to_format == kF16) put(to_f16(x));
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
  map(
      p.out.rows, p.out.cols, [&](int64_t r, int64_t c) { return p.table.at(p.ids[r], c); },
      [&](int64_t r, int64_t c, float value) { p.out.at(r, c) = value; });
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

// A thread for a pair, or for an element that is copied.
LOCUS_KERNEL locus_rotate(const RotateParams p) {
  const int64_t half = p.width / 2;
  each(p.x.rows, p.x.cols, [&](int64_t n, int64_t column) {
    const int64_t c = column % p.head_size, start = column - c;
    if (c >= p.width) {
      p.y.at(n, column) = p.x.at(n, column);
    } else if (c < half) {
      const int64_t first = start + (p.interleaved ? 2 * c : c);
      const int64_t second = p.interleaved ? first + 1 : first + half;
      const float a = p.x.at(n, first), b = p.x.at(n, second);
      const float cos = p.cos.at(p.rows[n], c);
      const float sin = p.backward ? -p.sin.at(p.rows[n], c) : p.sin.at(p.rows[n], c);
      p.y.at(n, first) = a * cos - b * sin;
      p.y.at(n, second) = a * sin + b * cos;
    }
  });
}

}  // namespace locus::kernel::cuda
