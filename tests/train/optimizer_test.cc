#include "locus/train/optimizer.h"

#include <gtest/gtest.h>

#include <limits>

#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/matmul.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

constexpr const char* kNames[] = {"first.weight", "first.bias", "second.weight", "second.bias"};

void follow_pytorch(DType dtype, Device device, double tolerance) {
  const SafetensorsFile golden(LOCUS_GOLDEN "/adamw.safetensors");
  Parameters parameters(dtype, device);
  for (const char* name : kNames) {
    const bool bias = std::string_view(name).ends_with("bias");
    parameters.add(name, golden.read(std::string("start/") + name), bias ? Role::bias : Role::matrix);
  }
  AdamW optimizer(parameters, {.beta2 = 0.95, .weight_decay = 0.1, .clip = 0.25});
  const Var x(parameters.constant(golden.read("x")));
  const Tensor targets = golden.read("targets").on(device);
  const std::vector<float> rates = golden.read("rates").values(), losses = golden.read("losses").values(),
                           norms = golden.read("norms").values();
  ASSERT_EQ(rates.size(), 50u);
  for (size_t step = 0; step < rates.size(); ++step) {
    const auto at = [&](const char* name) { return parameters.at(name); };
    const Var hidden = op::linear(x, at("first.weight"), at("first.bias"), Activation::tanh);
    const Var loss = op::cross_entropy(op::linear(hidden, at("second.weight"), at("second.bias")), targets);
    EXPECT_NEAR(loss.value().item(), static_cast<double>(losses[step]),
                tolerance * static_cast<double>(losses[step]));
    // Like the trainer: accumulate a sum over samples, then divide by their number.
    loss.backward(Tensor::full({}, 24, dtype, device));
    const double norm = optimizer.step(static_cast<double>(rates[step]), 1.0 / 24);
    EXPECT_NEAR(norm, static_cast<double>(norms[step]), 10 * tolerance * static_cast<double>(norms[step]));
  }
  for (const char* name : kNames) {
    const std::vector<float> got = parameters.at(name).value().values(),
                             want = golden.read(std::string("end/") + name).values();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 10 * tolerance) << name << " " << i;
  }
}

TEST(AdamW, FiftyStepsFollowPyTorch) {
  // The file's inputs, rates and betas are rounded to f32; the rest is double.
  follow_pytorch(DType::f64, Device::reference, 1e-6);
  // All f32: rounding errors of 50 steps, each of which changes a parameter by about 5 %.
  follow_pytorch(DType::f32, Device::cpu, 1e-5);
}

TEST(AdamW, DecaysMatricesOnlyByDefault) {
  const auto decayed = [](std::string name, Role role, const AdamWSettings& settings = {}) {
    return decays({.name = std::move(name), .var = {}, .role = role}, settings);
  };
  EXPECT_TRUE(decayed("layers.0.attention.query.weight", Role::matrix));
  EXPECT_FALSE(decayed("layers.0.attention.query.bias", Role::bias));
  EXPECT_FALSE(decayed("layers.0.norm.weight", Role::gain));
  EXPECT_FALSE(decayed("position.table", Role::table));
  EXPECT_TRUE(decayed("embedding.table.norm", Role::matrix)) << "the name does not matter";
  EXPECT_TRUE(decayed("position.table", Role::table, {.decayed = "x, pos*e"}));
  EXPECT_FALSE(decayed("head.weight", Role::matrix, {.undecayed = "head.*"}));
  EXPECT_TRUE(decayed("head.weight", Role::matrix, {.decayed = "*", .undecayed = "head.*"}));
}

TEST(AdamW, PatternsMatch) {
  EXPECT_TRUE(matches_pattern("abc", "abc"));
  EXPECT_TRUE(matches_pattern("abc", "*"));
  EXPECT_TRUE(matches_pattern("abc", "a*c"));
  EXPECT_TRUE(matches_pattern("abc", "*b*"));
  EXPECT_TRUE(matches_pattern("aXbXbc", "a*bc"));
  EXPECT_TRUE(matches_pattern("", "**"));
  EXPECT_FALSE(matches_pattern("abc", "a*b"));
  EXPECT_FALSE(matches_pattern("abc", "ab"));
  EXPECT_FALSE(matches_pattern("abc", ""));
  const std::string many(5000, 'a');
  EXPECT_FALSE(matches_pattern(many, "*a*a*a*a*a*a*a*a*b"));  // no backtracking: fast
}

TEST(AdamW, AGradientThatIsNotFiniteChangesNothing) {
  Parameters parameters;
  const Var a = parameters.add("a", Tensor::full({3}, 1), Role::gain),
            b = parameters.add("b", Tensor::full({3}, 1), Role::gain);
  AdamW optimizer(parameters, {});
  a.accumulate(Tensor::full({3}, 1));
  b.accumulate(Tensor::full({3}, std::numeric_limits<double>::infinity()));
  expect_error(Fault::diverged, {"inf"}, [&] { optimizer.step(0.1); });
  EXPECT_EQ(a.value().values(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(optimizer.steps(), 0);
}

TEST(AdamW, DoesNotChangeFrozenParametersAndUnusedRows) {
  Parameters parameters;
  const Var frozen = parameters.add("frozen", Tensor::full({2, 2}, 1), Role::matrix);
  const Var table = parameters.add("table", Tensor::full({2, 2}, 1), Role::table);
  parameters.freeze("frozen");
  AdamW optimizer(parameters, {.weight_decay = 0.5});
  for (int i = 0; i < 3; ++i) {
    table.accumulate(Tensor::of({2, 2}, {0.f, 0.f, 1.f, 1.f}));
    optimizer.step(0.1);
  }
  EXPECT_EQ(frozen.value().values(), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(table.value().rows(0, 1).values(), (std::vector<float>{1, 1}));
  EXPECT_LT(table.value().rows(1, 2).values()[0], 0.8f);
}

TEST(AdamW, ContinuesFromASavedState) {
  const TemporaryFolder folder;
  const auto advance = [](const Var& p, AdamW& optimizer) {
    p.accumulate(Tensor::of({2}, {0.5f, -2.f}));
    optimizer.step(0.1);
  };
  Parameters straight, broken;
  const Var p = straight.add("p", Tensor::full({2}, 1), Role::gain),
            q = broken.add("p", Tensor::full({2}, 1), Role::gain);
  AdamW one(straight, {});
  {
    AdamW two(broken, {});
    advance(q, two);
    stream_safetensors(folder / "state", two.state());
  }
  AdamW two(broken, {});
  two.restore(SafetensorsFile(folder / "state"), 1);
  advance(q, two);
  advance(p, one);
  advance(p, one);
  EXPECT_EQ(p.value().values(), q.value().values());

  broken.add("new", Tensor::zeros({2}), Role::gain);
  AdamW larger(broken, {});
  expect_error(Fault::data, {"state", "2 tensors", "expected 4"},
               [&] { larger.restore(SafetensorsFile(folder / "state"), 1); });
}

}  // namespace
}  // namespace locus
