#include "locus/op/elementwise.h"

#include "tests/expect_error.h"
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
  check_op(f, {{{300, 3}}, {{3}}});  // several parts of the sum down the rows
  check_op(f, {{{2, 3, 5}, 1, true}, {{5}, 1, true}});
}

// Sums of normal numbers nearly cancel: some 50 terms of size 1 make a result of size 0.3.
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
  const auto data = [](std::initializer_list<const char*> parts, auto call) {
    expect_error(Fault::data, parts, call);
  };
  data({"add: a is missing"}, [&] { add(none, x); });
  data({"add: b is missing"}, [&] { add(x, none); });
  data({"add: b has shape [3, 2], expected [2, 3] (the shape of a)"}, [&] { add(x, other); });
  data({"add: a is i32 on the cpu, expected f32; convert it first"}, [&] { add(whole, x); });
  data({"add: b is bf16 on the cpu, expected f32; convert it first"}, [&] { add(x, half); });
  data({"add: a is f64 on the cpu, expected f32"}, [&] { add(wide, wide); });
  data({"add: b is f32 on the reference, but a is f32 on the cpu"}, [&] { add(x, elsewhere); });
  data({"multiply: a is missing"}, [&] { multiply(none, x); });
  data({"multiply: b is missing"}, [&] { multiply(x, none); });
  data({"multiply: b has shape [3, 2], expected [2, 3] (the shape of a)"}, [&] { multiply(x, other); });
  data({"multiply: b is f32 on the reference, but a is f32 on the cpu"}, [&] { multiply(x, elsewhere); });
  data({"scale: x is missing"}, [&] { scale(none, 2); });
  data({"scale: x is i32"}, [&] { scale(whole, 2); });
  data({"add_bias: x is missing"}, [&] { add_bias(none, x); });
  data({"add_bias: bias is missing"}, [&] { add_bias(x, none); });
  data({"add_bias: x has shape [], expected rank 1 or more"}, [&] { add_bias(Var(Tensor::scalar(1)), x); });
  data({"add_bias: bias has shape [2, 3], expected [3] (the last size of x)"}, [&] { add_bias(x, x); });
  data({"add_bias: bias is f32 on the reference, but x is"}, [&] { add_bias(x, elsewhere); });
  data({"sum: x is missing"}, [&] { sum(none); });
  data({"sum: x is i32"}, [&] { sum(whole); });
  data({"mean: x is missing"}, [&] { mean(none); });
  data({"mean: x has shape [0, 4], expected at least one element"}, [&] {
    mean(Var(Tensor::zeros({0, 4})));
  });
}

}  // namespace
}  // namespace locus::op
