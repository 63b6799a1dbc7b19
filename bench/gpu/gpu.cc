// Times kernels of the GPU on memory of the GPU: locus_gpu_bench. Prints the median of seven runs, and what a
// run moves or computes a second. Run it on an idle GPU; bench/rivals and docs/speed.md compare other things.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/random.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus {
namespace {

using namespace kernel;

// Memory that stays until the end, filled with numbers near 1 or with integers below `below`.
View on_gpu(int64_t rows, int64_t cols, DType dtype, const std::function<float(uint64_t)>& value) {
  std::vector<std::byte> host(static_cast<size_t>(rows * cols * size_of(dtype)));
  for (int64_t i = 0; i < rows * cols; ++i) {
    const float x = value(static_cast<uint64_t>(i));
    if (dtype == DType::i32) {
      reinterpret_cast<int32_t*>(host.data())[i] = static_cast<int32_t>(x);
    } else {
      reinterpret_cast<float*>(host.data())[i] = x;
    }
  }
  const locus::cuda::Address memory = locus::cuda::allocate(static_cast<int64_t>(host.size()));
  locus::cuda::upload(memory, host);
  return {reinterpret_cast<std::byte*>(memory), dtype, Device::cpu, rows, cols, cols};
}
View numbers(int64_t rows, int64_t cols) {
  return on_gpu(rows, cols, DType::f32, [](uint64_t i) { return Random(1, 2).uniform(i) - 0.5f; });
}
View nothing(int64_t rows, int64_t cols) {  // not filled
  return {reinterpret_cast<std::byte*>(locus::cuda::allocate(rows * cols * 4)),
          DType::f32,
          Device::cpu,
          rows,
          cols,
          cols};
}
View integers(int64_t count, const std::function<int64_t(int64_t)>& value) {
  return on_gpu(1, count, DType::i32,
                [&](uint64_t i) { return static_cast<float>(value(static_cast<int64_t>(i))); });
}

// `amount`: bytes or operations of a run.
void measure(const char* name, double amount, const char* unit, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int times) {
    locus::cuda::wait();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) run();
    locus::cuda::wait();
    return std::chrono::duration<double>(Clock::now() - start).count() / times;
  };
  run();
  const int times = std::max(1, static_cast<int>(0.02 / seconds(1)));
  std::vector<double> all;
  for (int i = 0; i < 7; ++i) all.push_back(seconds(times));
  std::ranges::sort(all);
  fmt::print("{:44} {:10.1f} us  {:8.2f} {}\n", name, all[3] * 1e6, amount / all[3] * 1e-12, unit);
}

void elementwise() {
  const int64_t n = 1 << 28;
  const View a = nothing(1, n), b = nothing(1, n), total = nothing(1, 1);
  measure("scale, 1 GiB", 8.0 * n, "TB/s", [&] { kernel::cuda::scale({a, b, 1.5f}); });
  measure("gelu, 1 GiB", 8.0 * n, "TB/s", [&] { kernel::cuda::activation({Activation::gelu, a, b}); });
  measure("dropout, 1 GiB", 8.0 * n, "TB/s", [&] { kernel::cuda::dropout({a, b, 0.1f, 1, 2}); });
  measure("squared norm, 1 GiB", 4.0 * n, "TB/s", [&] { kernel::cuda::squared_norm({a, total}); });
  locus::cuda::release(reinterpret_cast<locus::cuda::Address>(a.data));
  locus::cuda::release(reinterpret_cast<locus::cuda::Address>(b.data));
}

void rows() {
  const int64_t N = 32768, C = 768, V = 50304;
  const View x = numbers(N, C), y = nothing(N, C), gamma = numbers(1, C), mean = nothing(1, N),
             rstd = nothing(1, N);
  const View dgamma = nothing(1, C), workspace = nothing(32, C), table = numbers(V, C);
  const View ids = integers(N, [](int64_t i) { return Random(3, 4).below(static_cast<uint64_t>(i), 50304); });
  const double bytes = 4.0 * N * C;
  measure("norm [32768, 768]", 2 * bytes, "TB/s", [&] {
    kernel::cuda::norm({.x = x, .gamma = gamma, .beta = gamma, .y = y, .mean = mean, .rstd = rstd});
  });
  measure("norm backward [32768, 768]", 3 * bytes, "TB/s", [&] {
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
  measure("column sum [32768, 768]", bytes, "TB/s", [&] {
    kernel::cuda::column_sum({x, dgamma, workspace});
  });
  measure("gather [32768, 768] of 50304 rows", 2 * bytes, "TB/s", [&] {
    kernel::cuda::gather({table, ids, y});
  });
  measure("scatter add [32768, 768] to 50304 rows", 3 * bytes, "TB/s",
          [&] { kernel::cuda::scatter_add({.rows = x, .ids = ids, .table = table}); });
  const View positions = integers(N, [](int64_t i) { return i % 512; });
  measure("scatter add [32768, 768] to 512 rows", bytes, "TB/s",
          [&] { kernel::cuda::scatter_add({.rows = x, .ids = positions, .table = table}); });
  const View logits = numbers(8192, V), loss = nothing(1, 8192), lse = nothing(1, 8192);
  measure("cross entropy [8192, 50304]", 4.0 * 8192 * V, "TB/s",
          [&] { kernel::cuda::cross_entropy({.logits = logits, .targets = ids, .loss = loss, .lse = lse}); });
  measure("cross entropy backward [8192, 50304]", 8.0 * 8192 * V, "TB/s", [&] {
    kernel::cuda::cross_entropy_backward(
        {.logits = logits, .targets = ids, .lse = lse, .dloss = loss, .dlogits = logits});
  });
  const int64_t n = 124'000'000;
  const View p = nothing(1, n), g = nothing(1, n), m = nothing(1, n), v = nothing(1, n);
  const AdamWParameter list[] = {{.parameter = p, .gradient = g, .first = m, .second = v}};
  measure("adamw, 124 million", 28.0 * n, "TB/s",
          [&] { kernel::cuda::adamw({.list = list, .rate = 1e-3f}); });
}

void product(int64_t m, int64_t n, int64_t k) {
  const View a = numbers(m, k), packed = numbers(1, n * k), c = nothing(m, n);
  measure(fmt::format("product [{}, {}] x [{}, {}]", m, k, k, n).c_str(),
          2.0 * static_cast<double>(m * n * k), "TFLOP/s",
          [&] { kernel::cuda::matmul({.a = a, .packed = packed, .c = c, .m = m, .n = n, .k = k}); });
}

struct Scene {
  const char* name;
  int64_t B, T, D;
  bool causal, distance, slots;
};

void attention(const Scene& s) {
  const int64_t N = s.B * s.T, H = 768 / s.D, C = H * s.D, S = 2 * s.T - 1;
  const View q = numbers(N, C), k = numbers(N, C), v = numbers(N, C), out = nothing(N, C),
             lse = nothing(N, H);
  const View starts = integers(s.B + 1, [&](int64_t b) { return b * s.T; });
  const View positions = integers(N, [&](int64_t i) { return i % s.T; });
  const View slots = integers(S, [&](int64_t d) { return d; }), table = numbers(S, C),
             distances = numbers(H, S);
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
  AttentionBackwardArgs back = {
      .forward = args, .dout = numbers(N, C), .dq = nothing(N, C), .dk = nothing(N, C), .dv = nothing(N, C)};
  if (s.distance) back.dby_distance = nothing(H, S);
  if (s.slots) back.dby_query = nothing(S, C);
  back.workspace = nothing(1, kernel::cuda::attention_backward_workspace(back));
  const double products = 4.0 * static_cast<double>(s.B * s.T * s.T * C) * (s.causal ? 0.5 : 1);
  measure(fmt::format("attention {}", s.name).c_str(), products, "TFLOP/s",
          [&] { kernel::cuda::attention(args); });
  measure(fmt::format("attention {}, backward", s.name).c_str(), 2.5 * products, "TFLOP/s",
          [&] { kernel::cuda::attention_backward(back); });
}

}  // namespace
}  // namespace locus

int main() try {
  using namespace locus;
  elementwise();
  rows();
  product(4096, 4096, 4096);
  product(32768, 3072, 768);
  product(512, 768, 768);
  product(1, 4096, 4096);
  attention({"16x1024, D 64, causal", 16, 1024, 64, true, false, false});
  attention({"16x1024, D 128, causal", 16, 1024, 128, true, false, false});
  attention({"16x1024, D 64, causal, by distance", 16, 1024, 64, true, true, false});
  attention({"16x512, D 64", 16, 512, 64, false, false, false});
  attention({"16x512, D 64, by query", 16, 512, 64, false, false, true});
  return 0;
} catch (const locus::Error& error) {
  fmt::print(stderr, "locus_gpu_bench: {}\n", error.what());
  return static_cast<int>(error.fault());
}
