// bf16 attention on tensor cores, forward and backward, with and without terms.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "bench/gpu/cases.h"
#include "bench/gpu/measure.h"
#include "locus/base/random.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/tensor/tensor.h"

namespace locus::gpu_bench {
namespace {

struct Scene {
  const char* terms;
  int64_t B, H, T, D;
  bool causal = true, distance = false, gradient = false;  // gradient: of the table by distance
  float dropout = 0;
};

// Normally distributed, a million numbers repeated.
Tensor activation(int64_t rows, int64_t cols) {
  const Tensor all = Tensor::empty({rows, cols}, DType::bf16);
  const auto values = all.data<Bf16>();
  constexpr size_t kOwn = 1 << 20;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i < kOwn ? to_bf16(Random(1, 2).normal(i)) : values[i - kOwn];
  return all.on(Device::cuda);
}
template <class Value>
Tensor integers(int64_t count, Value value) {
  const Tensor all = Tensor::empty({count}, DType::i32);
  for (int64_t i = 0; i < count; ++i)
    all.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(value(i));
  return all.on(Device::cuda);
}

void print_row(const std::string& name, double seconds, double operations) {
  fmt::print("{:44} {:>12.1f} {:>8.1f} TFLOP/s\n", name, seconds * 1e6, operations / seconds * 1e-12);
  std::fflush(stdout);
}

void measure_scene(const Scene& s) {
  const std::string name = fmt::format("attention bf16, {}x{}x{}x{}, {}", s.B, s.H, s.T, s.D, s.terms);
  if (!is_wanted(name)) return;
  const int64_t N = s.B * s.T, C = s.H * s.D, S = 2 * s.T - 1;
  const Tensor q = activation(N, C), k = q.clone(), v = q.clone(), dout = q.clone(), out = q.clone(),
               dq = q.clone(), dk = q.clone(), dv = q.clone();
  const Tensor lse = Tensor::zeros({N, s.H}, DType::f32, Device::cuda),
               table = Tensor::full({s.H, S}, 0.1, DType::f32, Device::cuda), dtable = table.clone();
  const Tensor starts = integers(s.B + 1, [&](int64_t b) { return b * s.T; }),
               positions = integers(N, [&](int64_t i) { return i % s.T; });
  kernel::AttentionArgs args = {
      .q = q.view(),
      .k = k.view(),
      .v = v.view(),
      .sequences = {starts.view(), starts.view(), positions.view(), positions.view()},
      .heads = s.H,
      .key_heads = s.H,
      .head_size = s.D,
      .scale = 1 / std::sqrt(static_cast<float>(s.D)),
      .causal = s.causal,
      .dropout = s.dropout,
      .longest = s.T,
      .out = out.view(),
      .lse = lse.view()};
  if (s.distance) args.by_distance = {table.view(), s.T - 1};
  kernel::AttentionBackwardArgs back = {
      .forward = args, .dout = dout.view(), .dq = dq.view(), .dk = dk.view(), .dv = dv.view()};
  if (s.gradient) back.dby_distance = dtable.view();
  const Tensor workspace =
      Tensor::empty({1, kernel::cuda::attention_backward_workspace(back)}, DType::f32, Device::cuda);
  back.workspace = workspace.view();
  const double products = 4.0 * static_cast<double>(s.B * s.T * s.T * C) * (s.causal ? 0.5 : 1);
  print_row(name, seconds_of([&] { kernel::cuda::attention(args); }), products);
  print_row(name + ", backward", seconds_of([&] { kernel::cuda::attention_backward(back); }), 2.5 * products);
}

}  // namespace

void measure_attention() {
  measure_scene({.terms = "causal", .B = 4, .H = 16, .T = 4096, .D = 64});
  measure_scene({.terms = "ALiBi", .B = 4, .H = 16, .T = 4096, .D = 64, .distance = true});
  measure_scene({.terms = "causal", .B = 4, .H = 16, .T = 4096, .D = 128});
  measure_scene({.terms = "ALiBi", .B = 4, .H = 16, .T = 4096, .D = 128, .distance = true});
  measure_scene({.terms = "all keys", .B = 8, .H = 12, .T = 1024, .D = 64, .causal = false});
  measure_scene({.terms = "learned bias",
                 .B = 8,
                 .H = 12,
                 .T = 1024,
                 .D = 64,
                 .causal = false,
                 .distance = true,
                 .gradient = true});
  measure_scene({.terms = "dropout", .B = 8, .H = 12, .T = 1024, .D = 64, .dropout = 0.1f});
  measure_scene({.terms = "all keys", .B = 64, .H = 12, .T = 128, .D = 32, .causal = false});
}

}  // namespace locus::gpu_bench
