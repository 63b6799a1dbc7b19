// The kernels of the GPU, on memory of the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "bench/gpu/cases.h"
#include "bench/gpu/measure.h"
#include "locus/base/random.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/tensor/cuda/gpu.h"
#include "locus/tensor/tensor.h"

namespace locus::gpu_bench {
namespace {

using namespace kernel;

// Memory of the GPU that lives as long as this object.
class Operands {
 public:
  View nothing(int64_t rows, int64_t cols) {  // not filled
    keep_.push_back(Tensor::empty({rows, cols}, DType::f32, Device::cuda));
    return keep_.back().view();
  }
  // A million random numbers, repeated.
  View numbers(int64_t rows, int64_t cols) {
    const View all = nothing(rows, cols);
    const int64_t count = all.numel(), first = std::min<int64_t>(count, 1 << 20);
    std::vector<float> values;
    for (int64_t i = 0; i < first; ++i)
      values.push_back(Random(1, 2).uniform(static_cast<uint64_t>(i)) - 0.5f);
    const auto to = reinterpret_cast<locus::cuda::Address>(all.data);
    locus::cuda::upload(to, std::as_bytes(std::span(values)));
    for (int64_t done = first; done < count; done *= 2) {
      locus::cuda::copy(to + static_cast<locus::cuda::Address>(4 * done), to,
                        4 * std::min(done, count - done));
    }
    return all;
  }
  View integers(int64_t count, const std::function<int64_t(int64_t)>& value) {
    const Tensor here = Tensor::empty({1, count}, DType::i32);
    for (int64_t i = 0; i < count; ++i)
      here.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(value(i));
    keep_.push_back(here.on(Device::cuda));
    return keep_.back().view();
  }

 private:
  std::vector<Tensor> keep_;
};

void elementwise() {
  Operands on;
  const int64_t n = 1 << 28;
  const View a = on.numbers(1, n), b = on.nothing(1, n), total = on.nothing(1, 1);
  measure("scale, 1 GiB", 8.0 * n, Limit::copy, [&] { kernel::cuda::scale({a, b, 1.5f}); });
  measure("gelu, 1 GiB", 8.0 * n, Limit::copy, [&] { kernel::cuda::activation({Activation::gelu, a, b}); });
  measure("dropout, 1 GiB", 8.0 * n, Limit::copy, [&] { kernel::cuda::dropout({a, b, 0.1f, 1, 2}); });
  measure("squared norm, 1 GiB", 4.0 * n, Limit::copy, [&] { kernel::cuda::squared_norm({a, total}); });
  measure("spread, 1 GiB", 4.0 * n, Limit::fill, [&] { kernel::cuda::spread({total, b}); });
}

void rows() {
  Operands on;
  const int64_t N = 32768, C = 768, V = 50304;
  const View x = on.numbers(N, C), y = on.nothing(N, C), gamma = on.numbers(1, C), mean = on.nothing(1, N),
             rstd = on.nothing(1, N);
  const View dgamma = on.nothing(1, C), workspace = on.nothing(2 * kernel::cuda::partial_rows(N), C),
             table = on.numbers(V, C);
  const View ids =
      on.integers(N, [](int64_t i) { return Random(3, 4).below(static_cast<uint64_t>(i), 50304); });
  const double bytes = 4.0 * N * C;
  measure("norm [32768, 768]", 2 * bytes, Limit::copy, [&] {
    kernel::cuda::norm({.x = x, .gamma = gamma, .beta = gamma, .y = y, .mean = mean, .rstd = rstd});
  });
  measure("norm backward [32768, 768]", 3 * bytes, Limit::copy, [&] {
    kernel::cuda::norm_backward({.x = x,
                                 .gamma = gamma,
                                 .mean = mean,
                                 .rstd = rstd,
                                 .dy = x,
                                 .dx = y,
                                 .dgamma = dgamma,
                                 .dbeta = dgamma,
                                 .workspace = workspace});
  });
  measure("column sum [32768, 768]", bytes, Limit::copy, [&] {
    kernel::cuda::column_sum({x, dgamma, workspace});
  });
  measure("gather [32768, 768] of 50304 rows", 2 * bytes, Limit::copy, [&] {
    kernel::cuda::gather({table, ids, y});
  });
  measure("scatter add [32768, 768] to 50304 rows", 3 * bytes, Limit::copy,
          [&] { kernel::cuda::scatter_add({.rows = x, .ids = ids, .table = table}); });
  const View positions = on.integers(N, [](int64_t i) { return i % 512; });
  measure("scatter add [32768, 768] to 512 rows", bytes, Limit::copy,
          [&] { kernel::cuda::scatter_add({.rows = x, .ids = positions, .table = table}); });
  measure("embed [32768, 768] of 50304 rows, norm", 2 * bytes, Limit::copy, [&] {
    kernel::cuda::embed({.tokens = {table, ids}, .gamma = gamma, .beta = gamma, .eps = 1e-5f, .y = y});
  });
  const View cos = on.numbers(512, 32), sin = on.numbers(512, 32);
  measure("rotate [32768, 12 x 64]", 2 * bytes, Limit::copy, [&] {
    kernel::cuda::rotate({.x = x,
                          .y = y,
                          .cos = cos,
                          .sin = sin,
                          .rows = positions,
                          .heads = 12,
                          .head_size = 64,
                          .width = 64});
  });
}

void loss() {
  Operands on;
  const int64_t N = 8192, V = 50304;
  const View logits = on.numbers(N, V), loss = on.nothing(1, N), lse = on.nothing(1, N);
  const View targets = on.integers(N, [](int64_t i) { return i * 5 % 50304; });
  const double bytes = 4.0 * static_cast<double>(N * V);
  measure("cross entropy [8192, 50304]", bytes, Limit::copy, [&] {
    kernel::cuda::cross_entropy({.logits = logits, .targets = targets, .loss = loss, .lse = lse});
  });
  measure("cross entropy backward [8192, 50304]", 2 * bytes, Limit::copy, [&] {
    kernel::cuda::cross_entropy_backward(
        {.logits = logits, .targets = targets, .lse = lse, .dloss = loss, .dlogits = logits});
  });
}

void optimizer() {
  Operands on;
  const int64_t n = 124'000'000;
  const View p = on.nothing(1, n), g = on.nothing(1, n), m = on.nothing(1, n), v = on.nothing(1, n);
  const AdamWParameter list[] = {{.parameter = p, .gradient = g, .first = m, .second = v}};
  measure("adamw, 124 million", 28.0 * n, Limit::copy,
          [&] { kernel::cuda::adamw({.list = list, .rate = 1e-3f}); });
}

void product(int64_t m, int64_t n, int64_t k) {
  Operands on;
  const View a = on.numbers(m, k), packed = on.numbers(1, n * k), c = on.nothing(m, n);
  measure(fmt::format("product [{}, {}] x [{}, {}]", m, k, k, n), 2.0 * static_cast<double>(m * n * k),
          Limit::product,
          [&] { kernel::cuda::matmul({.a = a, .packed = packed, .c = c, .m = m, .n = n, .k = k}); });
}

struct Scene {
  const char* name;
  int64_t B, T, D;
  bool causal, distance, slots;
};

void attention(const Scene& s) {
  Operands on;
  const int64_t N = s.B * s.T, H = 768 / s.D, C = H * s.D, S = 2 * s.T - 1;
  const View q = on.numbers(N, C), k = on.numbers(N, C), v = on.numbers(N, C), out = on.nothing(N, C),
             lse = on.nothing(N, H);
  const View starts = on.integers(s.B + 1, [&](int64_t b) { return b * s.T; });
  const View positions = on.integers(N, [&](int64_t i) { return i % s.T; });
  const View slots = on.integers(S, [&](int64_t d) { return d; }), table = on.numbers(S, C),
             distances = on.numbers(H, S);
  AttentionArgs args = {.q = q,
                        .k = k,
                        .v = v,
                        .sequences = {starts, starts, positions, positions},
                        .heads = H,
                        .key_heads = H,
                        .head_size = s.D,
                        .scale = 0.1f,
                        .causal = s.causal,
                        .out = out,
                        .lse = lse};
  if (s.distance) args.by_distance = {distances, s.T - 1};
  if (s.slots) args.by_query = {table, slots, s.T - 1};
  AttentionBackwardArgs back = {.forward = args,
                                .dout = on.numbers(N, C),
                                .dq = on.nothing(N, C),
                                .dk = on.nothing(N, C),
                                .dv = on.nothing(N, C)};
  if (s.distance) back.dby_distance = on.nothing(H, S);
  if (s.slots) back.dby_query = on.nothing(S, C);
  back.workspace = on.nothing(1, kernel::cuda::attention_backward_workspace(back));
  const double products = 4.0 * static_cast<double>(s.B * s.T * s.T * C) * (s.causal ? 0.5 : 1);
  measure(fmt::format("attention {}", s.name), products, Limit::product,
          [&] { kernel::cuda::attention(args); });
  measure(fmt::format("attention {}, backward", s.name), 2.5 * products, Limit::product,
          [&] { kernel::cuda::attention_backward(back); });
}

}  // namespace

void measure_kernels() {
  elementwise();
  rows();
  loss();
  optimizer();
  product(4096, 4096, 4096);
  product(32768, 3072, 768);
  product(512, 768, 768);
  product(1, 4096, 4096);
  attention({"16x1024, D 64, causal", 16, 1024, 64, true, false, false});
  attention({"16x1024, D 128, causal", 16, 1024, 128, true, false, false});
  attention({"16x1024, D 64, causal, by distance", 16, 1024, 64, true, true, false});
  attention({"16x512, D 64", 16, 512, 64, false, false, false});
  attention({"16x512, D 64, by query", 16, 512, 64, false, false, true});
}

}  // namespace locus::gpu_bench
