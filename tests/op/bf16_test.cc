// Every op with activations in bf16 and parameters in f32. With L = the sum of the results times random
// weights:
//   reference   bf16 with arithmetic in double: the specification
//   cpu         results and gradients of the reference, up to neighbors in bf16, and those of the same op in
//               f32 up to rounding; the same bits if nothing is recorded
//   fenced      the bits of the CPU
//   cuda        results and gradients of the reference, if there is a GPU
// Results and gradients of activations are bf16; sums and gradients of parameters are f32.
#include <gtest/gtest.h>

#include <numeric>

#include "locus/op/activation.h"
#include "locus/op/attention.h"
#include "locus/op/convert.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/dropout.h"
#include "locus/op/embed.h"
#include "locus/op/gather.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/mean_rows.h"
#include "locus/op/norm.h"
#include "locus/op/rotate.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"
#include "tests/other_device.h"

namespace locus::op::in_bf16 {
namespace {

using testing::elements;
using testing::normal_tensor;
using Vars = std::span<const Var>;
using F = std::function<Var(Vars)>;

// A number is rounded to bf16 by at most 2^-8 of its size. A gradient passes through up to three roundings:
// of the weights of the results, of an intermediate result, and its own.
constexpr double kRounding = 3 * 0x1p-8;

struct In {
  Shape shape;
  bool parameter = false;  // f32
};
In parameter(Shape shape) { return {shape, true}; }

struct Outcome {
  Tensor result;
  std::vector<Tensor> gradients;
};

Tensor in_format(const Tensor& rounded, Device device, DType dtype) {
  return convert(rounded.on(device), dtype);
}

// The op on numbers that bf16 has, in this format.
Outcome differentiate(const F& f, const std::vector<In>& inputs, Device device, DType dtype) {
  std::vector<Var> vars;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor value = convert(normal_tensor(inputs[i].shape, Device::cpu, i + 1), DType::bf16);
    vars.push_back(Var::parameter(in_format(value, device, inputs[i].parameter ? DType::f32 : dtype)));
  }
  const Var result = f(vars);
  const Tensor weights = convert(normal_tensor(result.shape(), Device::cpu, 100), DType::bf16);
  result.backward(in_format(weights, device, result.value().dtype()));
  Outcome outcome{result.value(), {}};
  for (const Var& var : vars) outcome.gradients.push_back(var.grad());
  const NoGrad scope;
  EXPECT_EQ(elements(f(vars).value()), elements(result.value())) << "other bits when nothing is recorded";
  return outcome;
}

void expect_near(const Tensor& got, const Tensor& wanted) {
  const std::vector<double> mine = elements(got), other = elements(wanted);
  ASSERT_EQ(mine.size(), other.size());
  double largest = 0;
  for (const double value : other) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < mine.size(); ++i) ASSERT_NEAR(mine[i], other[i], kRounding * largest) << i;
}

void check(const char* name, const F& f, const std::vector<In>& inputs, DType result = DType::bf16) {
  SCOPED_TRACE(name);
  const Outcome exact = differentiate(f, inputs, Device::reference, DType::bf16);
  const Outcome cpu = differentiate(f, inputs, Device::cpu, DType::bf16);
  const Outcome f32 = differentiate(f, inputs, Device::cpu, DType::f32);
  const Outcome other = differentiate(f, inputs, testing::other_device(), DType::bf16);
  const bool gpu = testing::other_device() == Device::cuda;
  const auto expect_other = [&](const Tensor& got, const Tensor& of_cpu, const Tensor& of_reference) {
    EXPECT_EQ(got.dtype(), of_cpu.dtype());
    if (gpu) return expect_near(got, of_reference);
    EXPECT_EQ(elements(got), elements(of_cpu));
  };
  EXPECT_EQ(cpu.result.dtype(), result);
  expect_near(cpu.result, exact.result);
  expect_near(cpu.result, f32.result);
  expect_other(other.result, cpu.result, exact.result);
  for (size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << "gradient of input " << i);
    EXPECT_EQ(cpu.gradients[i].dtype(), inputs[i].parameter ? DType::f32 : DType::bf16);
    expect_near(cpu.gradients[i], exact.gradients[i]);
    expect_near(cpu.gradients[i], f32.gradients[i]);
    expect_other(other.gradients[i], cpu.gradients[i], exact.gradients[i]);
  }
}

TEST(OpBf16, Elementwise) {
  check("add", [](Vars in) { return add(in[0], in[1]); }, {{{5, 7}}, {{5, 7}}});
  check("multiply", [](Vars in) { return multiply(in[0], in[1]); }, {{{5, 7}}, {{5, 7}}});
  check("scale", [](Vars in) { return scale(in[0], 0.3f); }, {{{5, 7}}});
  check("add_bias", [](Vars in) { return add_bias(in[0], in[1]); }, {{{50, 7}}, parameter({7})});
  check(
      "sum", [](Vars in) { return sum(in[0]); }, {{{50, 7}}}, DType::f32);
  check(
      "mean", [](Vars in) { return mean(in[0]); }, {{{50, 7}}}, DType::f32);
  check("dropout", [](Vars in) { return dropout(in[0], 0.3f, Random(1, 2)); }, {{{5, 7}}});
  check("activate", [](Vars in) { return activate(in[0], Activation::gelu); }, {{{5, 7}}});
  check("gated", [](Vars in) { return gated(in[0], in[1], Activation::silu); }, {{{5, 7}}, {{5, 7}}});
}

TEST(OpBf16, Layout) {
  check("reshape", [](Vars in) { return reshape(in[0], {7, 5}); }, {{{5, 7}}});
  check("split", [](Vars in) { return split(in[0], {3, 4})[1]; }, {{{5, 7}}});
  check("rows", [](Vars in) { return rows(in[0], 1, 3); }, {{{5, 7}}});
  check("join", [](Vars in) { return join({in[0], in[1]}); }, {{{5, 7}}, {{5, 3}}});
  const Indices ids = Tensor::of({4}, {2, 0, 2, 4}), starts = Tensor::of({3}, {0, 2, 5});
  check("gather", [=](Vars in) { return gather(in[0], ids); }, {{{5, 7}}});
  check("mean_rows", [=](Vars in) { return mean_rows(in[0], starts); }, {{{5, 7}}});
}

TEST(OpBf16, Products) {
  for (const int64_t m : {1, 5, 150}) {  // unpacked and packed weights
    check("linear", [](Vars in) { return linear(in[0], in[1]); }, {{{m, 7}}, parameter({9, 7})});
    check("linear, biased", [](Vars in) { return linear(in[0], in[1], in[2], Activation::gelu_tanh); },
          {{{m, 7}}, parameter({9, 7}), parameter({9})});
  }
  for (const bool transposed : {false, true}) {
    check("matmul", [=](Vars in) { return matmul(in[0], in[1], false, transposed); },
          {{{5, 7}}, {transposed ? Shape{3, 7} : Shape{7, 3}}});
  }
}

TEST(OpBf16, AWeightIsRoundedToTheFormatOfTheActivations) {
  const Tensor weight = normal_tensor({9, 7}, Device::cpu, 1);
  const Var x(convert(normal_tensor({5, 7}, Device::cpu, 2), DType::bf16));
  const Var y = linear(x, Var(weight)), rounded = linear(x, Var(convert(weight, DType::bf16)));
  EXPECT_EQ(elements(y.value()), elements(rounded.value()));
  EXPECT_NE(elements(y.value()), elements(linear(Var(convert(x.value(), DType::f32)), Var(weight)).value()));
}

TEST(OpBf16, Norms) {
  check("layer_norm", [](Vars in) { return layer_norm(in[0], in[1], in[2], 1e-5f); },
        {{{50, 16}}, parameter({16}), parameter({16})});
  check("rms_norm", [](Vars in) { return rms_norm(in[0], in[1], 1e-5f); }, {{{50, 16}}, parameter({16})});
}

TEST(OpBf16, Embeddings) {
  const Indices ids = Tensor::of({4}, {2, 0, 2, 4}), places = Tensor::of({4}, {0, 1, 2, 0});
  for (const float dropout : {0.0f, 0.2f}) {
    check("embed",
          [=](Vars in) {
            return embed(in[0], ids, InputTerm{.table = in[1], .rows = places},
                         {.gamma = in[2], .beta = in[3], .eps = 1e-5f, .bf16 = true, .dropout = dropout});
          },
          {parameter({5, 16}), parameter({3, 16}), parameter({16}), parameter({16})});
  }
}

TEST(OpBf16, AttentionWithEveryTerm) {
  std::vector<int32_t> numbers(6);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Indices positions = Tensor::of({6}, std::span<const int32_t>(numbers)),
                starts = Tensor::of({2}, {0, 6});
  const Indices slots = Tensor::of({11}, {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3});
  const Sequences sequences = {starts, starts, positions, positions, 6};
  check("attention",
        [=](Vars in) {
          return attention(in[0], in[1], in[2], sequences,
                           {.by_distance = DistanceTerm{in[3], 5},
                            .by_query = SlotTerm{in[4], slots, 5},
                            .by_key = SlotTerm{in[5], slots, 5},
                            .dense = in[6]},
                           {.heads = 2, .key_heads = 1, .causal = true});
        },
        {{{6, 8}},
         {{6, 4}},
         {{6, 4}},
         parameter({2, 11}),
         parameter({4, 8}),
         parameter({4, 4}),
         parameter({2, 36})});
  check("rotate",
        [=](Vars in) {
          const auto table = [&](uint64_t seed) {
            return normal_tensor({7, 2}, Device::cpu, seed).on(in[0].value().device());
          };
          return rotate_queries(in[0],
                                {.cos = table(1), .sin = table(2), .query_rows = positions, .width = 4}, 2);
        },
        {{{6, 8}}});
}

TEST(OpBf16, Losses) {
  const Indices targets = Tensor::of({4}, {2, kernel::kIgnoredTarget, 0, 6});
  check(
      "cross_entropy", [=](Vars in) { return cross_entropy(in[0], targets, {.smoothing = 0.1f}); },
      {{{4, 7}}}, DType::f32);
}

TEST(OpBf16, RefuseOtherFormatsOfParameters) {
  const Var x(Tensor::zeros({2, 3}, DType::bf16)), gamma(Tensor::full({3}, 1, DType::bf16));
  expect_bad_shape({"rms_norm", "gamma", "bf16", "f32"}, [&] { rms_norm(x, gamma, 1e-5f); });
  const Var there(Tensor::zeros({2, 3}, DType::bf16, Device::reference)),
      wide(Tensor::zeros({3}, DType::f64, Device::reference));
  expect_bad_shape({"rms_norm", "gamma", "f64", "f32", "x"}, [&] { rms_norm(there, wide, 1e-5f); });
  expect_bad_shape({"add", "b", "f32", "bf16"}, [&] { add(x, Var(Tensor::zeros({2, 3}))); });
  const Var tokens(Tensor::zeros({2, 3}, DType::f64, Device::reference));
  expect_bad_shape({"embed", "f64", "f32"}, [&] { embed(tokens, Tensor::of({1}, {0}), {}, {.bf16 = true}); });
}

}  // namespace
}  // namespace locus::op::in_bf16
