#include "locus/op/norm.h"

#include <limits>

#include "tests/expect_error.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

const std::vector<Shape> kNormed = {{5}, {1, 2}, {3, 7}, {2, 3, 17}, {0, 4}};
// More rows than a part of the sum down them.
const Shape kTall = {35, 5};

// Rows of few columns can be nearly even: then 1/sqrt(variance + eps), and with it every rounding, is large.
// An eps of 0.1 keeps the fifth derivative small enough for the differences as well.
constexpr float kEps = 0.1f;
constexpr double kTolerance = 5e-6;

TEST(OpNorm, LayerNorm) {
  const auto f = [](Vars in) { return layer_norm(in[0], in[1], in[2], kEps); };
  for (const Shape& shape : kNormed)
    check_op(f, {{shape, 2}, {{shape.cols()}}, {{shape.cols()}}}, kTolerance);
  check_op(f, {{kTall}, {{5}}, {{5}}}, kTolerance);
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}, {{5}, 1, true}}, kTolerance);
}

TEST(OpNorm, LayerNormWithoutBeta) {
  const auto f = [](Vars in) { return layer_norm(in[0], in[1], {}, kEps); };
  for (const Shape& shape : kNormed) check_op(f, {{shape, 2}, {{shape.cols()}}}, kTolerance);
}

TEST(OpNorm, RmsNorm) {
  const auto f = [](Vars in) { return rms_norm(in[0], in[1], kEps); };
  for (const Shape& shape : kNormed) check_op(f, {{shape, 2}, {{shape.cols()}}}, kTolerance);
  check_op(f, {{kTall}, {{5}}}, kTolerance);
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}}, kTolerance);
  check_op(f, {{{3, 1}}, {{1}}}, kTolerance);
}

// One column has no variance: only beta is left, and x gets no gradient.
TEST(OpNorm, LayerNormOfOneColumnIsBeta) {
  const Var x = Var::parameter(Tensor::of({2, 1}, {5.0f, -3.0f}));
  const Var y = layer_norm(x, Var(Tensor::of({1}, {2.0f})), Var(Tensor::of({1}, {0.25f})), 1e-5f);
  EXPECT_EQ(y.value().values(), (std::vector<float>{0.25f, 0.25f}));
  y.backward(Tensor::full({2, 1}, 1));
  EXPECT_EQ(x.grad().values(), (std::vector<float>{0, 0}));
}

TEST(OpNorm, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), gamma(Tensor::zeros({3})), short_one(Tensor::zeros({2})), none;
  const auto data = [](std::initializer_list<const char*> parts, auto call) {
    expect_error(Fault::data, parts, call);
  };
  data({"layer_norm: x is missing"}, [&] { layer_norm(none, gamma, gamma, 1e-5f); });
  data({"layer_norm: gamma is missing"}, [&] { layer_norm(x, none, gamma, 1e-5f); });
  data({"layer_norm: x has shape [], expected rank 1 or more"},
       [&] { layer_norm(Var(Tensor::scalar(1)), gamma, gamma, 1e-5f); });
  data({"layer_norm: x has shape [2, 0], expected at least one column"}, [&] {
    layer_norm(Var(Tensor::zeros({2, 0})), gamma, gamma, 1e-5f);
  });
  data({"layer_norm: gamma has shape [2], expected [3] (the last size of x)"},
       [&] { layer_norm(x, short_one, gamma, 1e-5f); });
  data({"layer_norm: beta has shape [2], expected [3] (the last size of x)"},
       [&] { layer_norm(x, gamma, short_one, 1e-5f); });
  data({"layer_norm: eps is -1, expected a finite number, 0 or more"},
       [&] { layer_norm(x, gamma, gamma, -1); });
  data({"layer_norm: eps is nan"},
       [&] { layer_norm(x, gamma, gamma, std::numeric_limits<float>::quiet_NaN()); });
  data({"layer_norm: beta is f32 on the reference, but x is f32 on the cpu"},
       [&] { layer_norm(x, gamma, Var(gamma.value().on(Device::reference)), 1e-5f); });
  data({"rms_norm: x is bf16"}, [&] { rms_norm(Var(Tensor::zeros({2, 3}, DType::bf16)), gamma, 1e-5f); });
  data({"rms_norm: gamma is missing"}, [&] { rms_norm(x, none, 1e-5f); });
  data({"rms_norm: gamma has shape [2], expected [3]"}, [&] { rms_norm(x, short_one, 1e-5f); });
  data({"rms_norm: eps is inf"}, [&] { rms_norm(x, gamma, std::numeric_limits<float>::infinity()); });
}

}  // namespace
}  // namespace locus::op
