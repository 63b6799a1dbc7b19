#include "locus/op/norm.h"

#include <limits>

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

const std::vector<Shape> kNormed = {{5}, {1, 2}, {3, 7}, {2, 3, 17}, {0, 4}};
// More rows than one partial sum of the gradient of gamma covers.
const Shape kManyRows = {35, 5};

// Rows of few columns can be nearly constant: then 1/sqrt(variance + eps), and with it every rounding error,
// is large. An eps of 0.1 also keeps the fifth derivative small enough for the finite differences.
constexpr float kEps = 0.1f;
constexpr double kTolerance = 5e-6;

TEST(OpNorm, LayerNorm) {
  const auto f = [](Vars in) { return layer_norm(in[0], in[1], in[2], kEps); };
  for (const Shape& shape : kNormed)
    check_op(f, {{shape, 2}, {{shape.cols()}}, {{shape.cols()}}}, kTolerance);
  check_op(f, {{kManyRows}, {{5}}, {{5}}}, kTolerance);
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}, {{5}, 1, true}}, kTolerance);
}

TEST(OpNorm, LayerNormWithoutBeta) {
  const auto f = [](Vars in) { return layer_norm(in[0], in[1], {}, kEps); };
  for (const Shape& shape : kNormed) check_op(f, {{shape, 2}, {{shape.cols()}}}, kTolerance);
}

TEST(OpNorm, RmsNorm) {
  const auto f = [](Vars in) { return rms_norm(in[0], in[1], kEps); };
  for (const Shape& shape : kNormed) check_op(f, {{shape, 2}, {{shape.cols()}}}, kTolerance);
  check_op(f, {{kManyRows}, {{5}}}, kTolerance);
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}}, kTolerance);
  check_op(f, {{{3, 1}}, {{1}}}, kTolerance);
}

// One column has no variance: the result is beta, and the gradient of x is zero.
TEST(OpNorm, LayerNormOfOneColumnIsBeta) {
  const Var x = Var::parameter(Tensor::of({2, 1}, {5.0f, -3.0f}));
  const Var y = layer_norm(x, Var(Tensor::of({1}, {2.0f})), Var(Tensor::of({1}, {0.25f})), 1e-5f);
  EXPECT_EQ(y.value().values(), (std::vector<float>{0.25f, 0.25f}));
  y.backward(Tensor::full({2, 1}, 1));
  EXPECT_EQ(x.grad().values(), (std::vector<float>{0, 0}));
}

TEST(OpNorm, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), gamma(Tensor::zeros({3})), short_one(Tensor::zeros({2})), none;
  expect_bad_argument({"layer_norm", "x"}, [&] { layer_norm(none, gamma, gamma, 1e-5f); });
  expect_bad_argument({"layer_norm", "gamma"}, [&] { layer_norm(x, none, gamma, 1e-5f); });
  expect_bad_shape({"layer_norm", "x", "[]", "1"},
                   [&] { layer_norm(Var(Tensor::scalar(1)), gamma, gamma, 1e-5f); });
  expect_bad_shape({"layer_norm", "x", "[2, 0]"}, [&] {
    layer_norm(Var(Tensor::zeros({2, 0})), gamma, gamma, 1e-5f);
  });
  expect_bad_shape({"layer_norm", "gamma", "[2]", "[3]"}, [&] { layer_norm(x, short_one, gamma, 1e-5f); });
  expect_bad_shape({"layer_norm", "beta", "[2]", "[3]"}, [&] { layer_norm(x, gamma, short_one, 1e-5f); });
  expect_bad_argument({"layer_norm", "eps", "-1", "0"}, [&] { layer_norm(x, gamma, gamma, -1); });
  expect_bad_argument({"layer_norm", "eps", "nan"},
                      [&] { layer_norm(x, gamma, gamma, std::numeric_limits<float>::quiet_NaN()); });
  expect_bad_shape({"layer_norm", "beta", "f32", "reference", "x", "cpu"},
                   [&] { layer_norm(x, gamma, Var(gamma.value().on(Device::reference)), 1e-5f); });
  expect_bad_shape({"rms_norm", "x", "f16"}, [&] {
    rms_norm(Var(Tensor::zeros({2, 3}, DType::f16)), gamma, 1e-5f);
  });
  expect_bad_argument({"rms_norm", "gamma"}, [&] { rms_norm(x, none, 1e-5f); });
  expect_bad_shape({"rms_norm", "gamma", "[2]", "[3]"}, [&] { rms_norm(x, short_one, 1e-5f); });
  expect_bad_argument({"rms_norm", "eps", "inf"},
                      [&] { rms_norm(x, gamma, std::numeric_limits<float>::infinity()); });
}

}  // namespace
}  // namespace locus::op
