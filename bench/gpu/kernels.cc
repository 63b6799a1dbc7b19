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
  View nothing(int64_t rows, int64_t cols, DType format = DType::f32) {  // not filled
    keep_.push_back(Tensor::empty({rows, cols}, format, Device::cuda));
    return keep_.back().view();
  }
  // A million random numbers, repeated.
  View numbers(int64_t rows, int64_t cols, DType format = DType::f32) {
    const View all = nothing(rows, cols, format);
    const int64_t count = all.numel(), first = std::min<int64_t>(count, 1 << 20), size = size_of(format);
    const Tensor here = Tensor::empty({first}), rounded = Tensor::empty({first}, format);
    for (int64_t i = 0; i < first; ++i)
      here.data<float>()[static_cast<size_t>(i)] = Random(1, 2).uniform(static_cast<uint64_t>(i)) - 0.5f;
    kernels(Device::cpu).convert({.from = here.view(), .to = rounded.view()});
    const auto to = reinterpret_cast<locus::cuda::Address>(all.data);
    locus::cuda::upload(to, {rounded.view().data, static_cast<size_t>(first * size)});
    for (int64_t done = first; done < count; done *= 2) {
      locus::cuda::copy(to + static_cast<locus::cuda::Address>(size * done), to,
                        size * std::min(done, count - done));
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

// The name of a row of the table.
std::string in_format(const char* name, DType format) {
  return format == DType::f32 ? name : fmt::format("{}, {}", name, name_of(format));
}

void elementwise(DType format) {
  Operands on;
  const int64_t bytes = int64_t{1} << 30, n = bytes / size_of(format);
  const View a = on.numbers(1, n, format), b = on.nothing(1, n, format), total = on.nothing(1, 1);
  const auto row = [&](const char* name, double of, Limit limit, const std::function<void()>& run) {
    measure(in_format(name, format), of * static_cast<double>(bytes), limit, run);
  };
  row("scale, 1 GiB", 2, Limit::copy, [&] { kernel::cuda::scale({a, b, 1.5f}); });
  row("add, 1 GiB", 3, Limit::copy, [&] { kernel::cuda::add({a, a, b}); });
  row("gelu, 1 GiB", 2, Limit::copy, [&] { kernel::cuda::activation({Activation::gelu, a, b}); });
  row("gelu backward, 1 GiB", 3, Limit::copy, [&] {
    kernel::cuda::activation_backward({Activation::gelu_tanh, a, a, b});
  });
  row("dropout, 1 GiB", 2, Limit::copy, [&] { kernel::cuda::dropout({a, b, 0.1f, 1, 2}); });
  row("squared norm, 1 GiB", 1, Limit::copy, [&] { kernel::cuda::squared_norm({a, total}); });
  row("spread, 1 GiB", 1, Limit::fill, [&] { kernel::cuda::spread({total, b}); });
}

void rows(DType format) {
  Operands on;
  const int64_t N = 32768, C = 768, V = 50304;
  const View x = on.numbers(N, C, format), y = on.nothing(N, C, format), gamma = on.numbers(1, C),
             mean = on.nothing(1, N), rstd = on.nothing(1, N);
  const View dgamma = on.nothing(1, C), workspace = on.nothing(2 * kernel::cuda::partial_rows(N), C),
             table = on.numbers(V, C), own_table = on.numbers(V, C, format);
  const View ids =
      on.integers(N, [](int64_t i) { return Random(3, 4).below(static_cast<uint64_t>(i), 50304); });
  const double bytes = static_cast<double>(size_of(format) * N * C), wide = 4.0 * N * C;
  const auto row = [&](const char* name, double all, const std::function<void()>& run) {
    measure(in_format(name, format), all, Limit::copy, run);
  };
  row("norm [32768, 768]", 2 * bytes, [&] {
    kernel::cuda::norm({.x = x, .gamma = gamma, .beta = gamma, .y = y, .mean = mean, .rstd = rstd});
  });
  row("norm backward [32768, 768]", 3 * bytes, [&] {
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
  row("column sum [32768, 768]", bytes, [&] { kernel::cuda::column_sum({x, dgamma, workspace}); });
  row("gather [32768, 768] of 50304 rows", 2 * bytes, [&] { kernel::cuda::gather({own_table, ids, y}); });
  row("scatter add [32768, 768] to 50304 rows", bytes + 2 * wide,
      [&] { kernel::cuda::scatter_add({.rows = x, .ids = ids, .table = table}); });
  const View positions = on.integers(N, [](int64_t i) { return i % 512; });
  row("scatter add [32768, 768] to 512 rows", bytes,
      [&] { kernel::cuda::scatter_add({.rows = x, .ids = positions, .table = table}); });
  row("embed [32768, 768] of 50304 rows, norm", wide + bytes, [&] {
    kernel::cuda::embed({.tokens = {table, ids}, .gamma = gamma, .beta = gamma, .eps = 1e-5f, .y = y});
  });
  const View cos = on.numbers(512, 32), sin = on.numbers(512, 32);
  row("rotate [32768, 12 x 64]", 2 * bytes, [&] {
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

void loss(DType format) {
  Operands on;
  const int64_t N = 8192, V = 50304;
  const View logits = on.numbers(N, V, format), loss = on.nothing(1, N), lse = on.nothing(1, N);
  const View targets = on.integers(N, [](int64_t i) { return i * 5 % 50304; });
  const double bytes = static_cast<double>(size_of(format) * N * V);
  measure(in_format("cross entropy [8192, 50304]", format), bytes, Limit::copy, [&] {
    kernel::cuda::cross_entropy({.logits = logits, .targets = targets, .loss = loss, .lse = lse});
  });
  measure(in_format("cross entropy backward [8192, 50304]", format), 2 * bytes, Limit::copy, [&] {
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

// How the sides lie, and what c is.
struct Product {
  int64_t m, n, k;
  DType format = DType::f32;
  bool a_transposed = false, b_transposed = true;
  DType result = format;
};
void product(const Product& p) {
  Operands on;
  const View a = on.numbers(p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, p.format),
             b = on.numbers(p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, p.format),
             c = on.nothing(p.m, p.n, p.result);
  const std::string name = fmt::format("product [{}, {}]{} x [{}, {}]{}", p.m, p.k,
                                       p.a_transposed ? "^T" : "", p.k, p.n, p.b_transposed ? "^T" : "");
  measure(in_format(name.c_str(), p.format), 2.0 * static_cast<double>(p.m * p.n * p.k),
          p.format == DType::f32 ? Limit::product : Limit::bf16_product, [&] {
            kernel::cuda::matmul({.a = a,
                                  .b = b,
                                  .c = c,
                                  .m = p.m,
                                  .n = p.n,
                                  .k = p.k,
                                  .a_transposed = p.a_transposed,
                                  .b_transposed = p.b_transposed});
          });
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
  for (const DType format : {DType::f32, DType::bf16}) {
    elementwise(format);
    rows(format);
    loss(format);
  }
  optimizer();
  product({4096, 4096, 4096});
  product({32768, 3072, 768});
  product({512, 768, 768});
  product({1, 4096, 4096});
  // The products of GPT-2 124M: forward, then the gradients of x and of the weight.
  product({8192, 8192, 8192, DType::bf16});
  product({32768, 3072, 768, DType::bf16});
  product({32768, 768, 3072, DType::bf16});
  product({32768, 768, 768, DType::bf16});
  product({32768, 768, 3072, DType::bf16, false, false});
  product({768, 3072, 32768, DType::bf16, true, false, DType::f32});
  product({768, 768, 32768, DType::bf16, true, false, DType::f32});
  product({32768, 50304, 768, DType::bf16});
  product({32768, 768, 50304, DType::bf16, false, false});
  product({50304, 768, 32768, DType::bf16, true, false, DType::f32});
  product({512, 768, 768, DType::bf16});
  product({1, 4096, 4096, DType::bf16});
  attention({"16x1024, D 64, causal", 16, 1024, 64, true, false, false});
  attention({"16x1024, D 128, causal", 16, 1024, 128, true, false, false});
  attention({"16x1024, D 64, causal, by distance", 16, 1024, 64, true, true, false});
  attention({"16x512, D 64", 16, 512, 64, false, false, false});
  attention({"16x512, D 64, by query", 16, 512, 64, false, false, true});
}

}  // namespace locus::gpu_bench
