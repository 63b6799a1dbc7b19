#include "locus/op/elementwise.h"

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"
#include "tests/op/shapes.h"

namespace locus::op {
namespace {

using testing::check_op;
using testing::kShapes;
using Vars = std::span<const Var>;

TEST(OpElementwise, Add) {
  const auto f = [](Vars in) { return add(in[0], in[1]); };
  for (const Shape& shape : kShapes) check_op(f, {{shape}, {shape}});
  check_op(f, {{{3, 5}, 1, true}, {{3, 5}}});
  check_op(f, {{{3, 5}}, {{3, 5}, 1, true}});
}

TEST(OpElementwise, AddOfAValueToItselfIsTwice) {
  check_op([](Vars in) { return add(in[0], in[0]); }, {{{3, 5}}});
}

TEST(OpElementwise, Multiply) {
  const auto f = [](Vars in) { return multiply(in[0], in[1]); };
  for (const Shape& shape : kShapes) check_op(f, {{shape}, {shape}});
  check_op(f, {{{3, 5}, 1, true}, {{3, 5}, 1, true}});
  check_op([](Vars in) { return multiply(in[0], in[0]); }, {{{3, 5}}});
}

TEST(OpElementwise, Scale) {
  for (const float factor : {-1.5f, 0.0f, 0.3f}) {
    const auto f = [=](Vars in) { return scale(in[0], factor); };
    for (const Shape& shape : kShapes) check_op(f, {{shape}});
    check_op(f, {{{2, 3, 5}, 1, true}});
  }
}

TEST(OpElementwise, AddBias) {
  const auto f = [](Vars in) { return add_bias(in[0], in[1]); };
  for (const Shape& shape : kShapes) {
    if (shape.rank() > 0) check_op(f, {{shape}, {{shape.cols()}}});
  }
  check_op(f, {{{300, 3}}, {{3}}});  // more rows than one partial sum of the bias gradient covers
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}});
}

// Sums of normal numbers nearly cancel: about 50 terms of size 1 give a result of size 0.3.
constexpr double kCancelling = 1e-5;

TEST(OpElementwise, SumAndMean) {
  const auto total = [](Vars in) { return sum(in[0]); };
  const auto average = [](Vars in) { return mean(in[0]); };
  for (const Shape& shape : kShapes) {
    check_op(total, {{shape}}, kCancelling);
    if (shape.numel() > 0) check_op(average, {{shape}}, kCancelling);
  }
  check_op(total, {{{3, 5}, 1, true}}, kCancelling);
  check_op(average, {{{3, 5}, 1, true}}, kCancelling);
}

TEST(OpElementwise, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), other(Tensor::zeros({3, 2})), none;
  const Var whole(Tensor::zeros({2, 3}, DType::i32)), half(Tensor::zeros({2, 3}, DType::bf16));
  const Var wide(Tensor::zeros({2, 3}, DType::f64)), elsewhere(x.value().on(Device::reference));
  expect_bad_argument({"add", "a"}, [&] { add(none, x); });
  expect_bad_argument({"add", "b"}, [&] { add(x, none); });
  expect_bad_shape({"add", "b", "[3, 2]", "[2, 3]"}, [&] { add(x, other); });
  expect_bad_shape({"add", "a", "i32", "cpu", "f32"}, [&] { add(whole, x); });
  expect_bad_shape({"add", "b", "bf16", "cpu", "f32"}, [&] { add(x, half); });
  expect_bad_shape({"add", "a", "f64", "cpu", "f32"}, [&] { add(wide, wide); });
  expect_bad_shape({"add", "b", "f32", "reference", "a", "cpu"}, [&] { add(x, elsewhere); });
  expect_bad_argument({"multiply", "a"}, [&] { multiply(none, x); });
  expect_bad_argument({"multiply", "b"}, [&] { multiply(x, none); });
  expect_bad_shape({"multiply", "b", "[3, 2]", "[2, 3]"}, [&] { multiply(x, other); });
  expect_bad_shape({"multiply", "b", "f32", "reference", "a", "cpu"}, [&] { multiply(x, elsewhere); });
  expect_bad_argument({"scale", "x"}, [&] { scale(none, 2); });
  expect_bad_shape({"scale", "x", "i32"}, [&] { scale(whole, 2); });
  expect_bad_argument({"add_bias", "x"}, [&] { add_bias(none, x); });
  expect_bad_argument({"add_bias", "bias"}, [&] { add_bias(x, none); });
  expect_bad_shape({"add_bias", "x", "[]", "1"}, [&] { add_bias(Var(Tensor::scalar(1)), x); });
  expect_bad_shape({"add_bias", "bias", "[2, 3]", "[3]"}, [&] { add_bias(x, x); });
  expect_bad_shape({"add_bias", "bias", "f32", "reference", "x"}, [&] { add_bias(x, elsewhere); });
  expect_bad_argument({"sum", "x"}, [&] { sum(none); });
  expect_bad_shape({"sum", "x", "i32"}, [&] { sum(whole); });
  expect_bad_argument({"mean", "x"}, [&] { mean(none); });
  expect_bad_shape({"mean", "x", "[0, 4]"}, [&] { mean(Var(Tensor::zeros({0, 4}))); });
}

}  // namespace
}  // namespace locus::op
