#include "locus/autograd/var.h"

#include <gtest/gtest.h>

#include <thread>

#include "locus/op/activation.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/tensor/storage.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

using Floats = std::vector<float>;

Var leaf(Floats values) {
  return Var::parameter(Tensor::of({static_cast<int64_t>(values.size())}, std::span<const float>(values)));
}
Tensor ones(const Var& var) { return Tensor::full(var.shape(), 1); }

TEST(Var, CopiesAreTheSameValueAndGradient) {
  const Var a = leaf({1, 2}), b = a;
  op::sum(b).backward();
  EXPECT_EQ(a.grad().values(), (Floats{1, 1}));
}

TEST(Var, GradientsOfSeveralUsesAddUp) {
  const Var x = leaf({2, 3});
  op::sum(op::add(op::multiply(x, x), x)).backward();  // x^2 + x
  EXPECT_EQ(x.grad().values(), (Floats{5, 7}));
}

TEST(Var, GradientsOfSeveralPassesAddUpUntilCleared) {
  Var x = leaf({2, 3});
  op::sum(x).backward();
  op::sum(op::scale(x, 2)).backward();
  EXPECT_EQ(x.grad().values(), (Floats{3, 3}));
  x.clear_grad();
  EXPECT_FALSE(x.grad());
  op::sum(x).backward();
  EXPECT_EQ(x.grad().values(), (Floats{1, 1}));
}

// e = b c + a with b = 2a and c = 3a: the gradient is 12a + 1.
TEST(Var, ADiamondIsVisitedOnceFromItsTip) {
  const Var a = leaf({1, -2});
  const Var b = op::scale(a, 2), c = op::scale(a, 3);
  op::sum(op::add(op::multiply(b, c), a)).backward();
  EXPECT_EQ(a.grad().values(), (Floats{13, -23}));
}

// Each level doubles the number of paths: following every path would take 2^60 steps.
TEST(Var, ALadderOfDiamondsTakesItsStepsOnce) {
  const Var a = leaf({1});
  Var x = a;
  for (int i = 0; i < 60; ++i) x = op::scale(op::add(x, x), 0.5f);
  x.backward();
  EXPECT_EQ(a.grad().values(), (Floats{1}));
}

// add passes one gradient tensor to both inputs. a then gets a second gradient, which must not change that of
// b.
TEST(Var, AGradientSharedByTwoInputsIsNotWrittenTo) {
  const Var a = leaf({1, 1}), b = leaf({1, 1});
  const Var left = op::scale(a, 1), right = op::scale(b, 1);
  const Var early = op::scale(left, 10);
  op::sum(op::add(op::add(left, right), early)).backward();
  EXPECT_EQ(a.grad().values(), (Floats{11, 11}));
  EXPECT_EQ(b.grad().values(), (Floats{1, 1}));
}

TEST(Var, GradientsOfLeavesAreMemoryOfTheirOwn) {
  const Var a = leaf({1, 1}), b = leaf({1, 1});
  const Tensor given = Tensor::full({2}, 1);
  op::add(a, b).backward(given);
  EXPECT_FALSE(a.grad().shares_memory_with(b.grad()));
  EXPECT_FALSE(a.grad().shares_memory_with(given));
  const Tensor seen = a.grad();
  op::sum(a).backward();
  EXPECT_EQ(seen.values(), (Floats{1, 1})) << "a copy of a gradient is not written to";
  EXPECT_EQ(a.grad().values(), (Floats{2, 2}));

  const Var left = Var::parameter(Tensor::zeros({2, 2})), right = Var::parameter(Tensor::zeros({2, 3}));
  const Var whole = op::join({left, right});
  whole.backward(ones(whole));
  EXPECT_TRUE(left.grad().contiguous());
  EXPECT_FALSE(left.grad().shares_memory_with(right.grad()));
}

TEST(Var, ResultsOfOneStepThatNobodyUsedGetNone) {
  const Var x = leaf({1, 2, 3});
  Var middle;
  {
    const std::vector<Var> parts = op::split(x, {1, 1, 1});
    middle = op::scale(parts[1], 5);
  }
  op::sum(middle).backward();
  EXPECT_EQ(x.grad().values(), (Floats{0, 5, 0}));
}

TEST(Var, IntermediateValuesKeepNoGradient) {
  const Var x = leaf({1, 2}), y = op::scale(x, 3);
  op::sum(y).backward();
  EXPECT_FALSE(y.grad());
}

TEST(Var, ConstantsGetNoGradientAndNothingIsRecordedForThem) {
  const Var x = leaf({1, 2}), constant(Tensor::full({2}, 4));
  EXPECT_FALSE(op::scale(constant, 2).wants_grad());
  op::sum(op::multiply(x, constant)).backward();
  EXPECT_EQ(x.grad().values(), (Floats{4, 4}));
  EXPECT_FALSE(constant.grad());
}

TEST(Var, NoGradRecordsNothingOnThisThread) {
  const Var x = leaf({1, 2});
  bool elsewhere = false;
  {
    const NoGrad scope;
    EXPECT_FALSE(op::scale(x, 2).wants_grad());
    { const NoGrad inner; }
    EXPECT_FALSE(op::scale(x, 2).wants_grad()) << "the inner scope ended, the outer one did not";
    std::thread([&] { elsewhere = op::scale(x, 2).wants_grad(); }).join();
  }
  EXPECT_TRUE(elsewhere);
  EXPECT_TRUE(op::scale(x, 2).wants_grad());
}

TEST(Var, FreezingALeafStopsItsGradientOnly) {
  Var a = leaf({1, 2});
  const Var b = leaf({3, 4});
  a.set_wants_grad(false);
  op::sum(op::multiply(a, b)).backward();
  EXPECT_FALSE(a.grad());
  EXPECT_EQ(b.grad().values(), (Floats{1, 2}));
  a.set_wants_grad(true);
  op::sum(op::multiply(a, b)).backward();
  EXPECT_EQ(a.grad().values(), (Floats{3, 4}));
}

TEST(Var, BackwardFromAnyShapeTakesItsGradient) {
  const Var x = leaf({1, 2}), y = op::multiply(x, x);
  y.backward(Tensor::of({2}, {1.0f, -1.0f}));
  EXPECT_EQ(x.grad().values(), (Floats{2, -4}));
}

TEST(Var, EveryErrorSaysWhatWasWrong) {
  const auto data = [](Code code, std::initializer_list<const char*> values, auto call) {
    expect_error(Fault::data, code, values, call);
  };
  const Var x = leaf({1, 2}), none;
  data(Code::none, {"Var", "value"}, [&] { (void)none.value(); });
  data(Code::none, {"Var", "gradient"}, [&] { (void)none.grad(); });
  data(Code::none, {"Var", "gradient"}, [&] { Var(none).set_wants_grad(true); });
  data(Code::none, {"leaf", "[2]"}, [&] { op::scale(x, 2).set_wants_grad(false); });
  data(Code::bad_shape, {"backward", "[2]"}, [&] { op::scale(x, 2).backward(); });
  data(Code::none, {"backward", "gradient"}, [] { Var(Tensor::scalar(1)).backward(); });
  data(Code::none, {"backward", "gradient", "missing"}, [&] { op::scale(x, 2).backward(Tensor()); });
  data(Code::bad_shape, {"backward", "f32 [3] on the cpu", "f32 [2] on the cpu"},
       [&] { op::scale(x, 2).backward(Tensor::zeros({3})); });
  data(Code::bad_shape, {"backward", "bf16 [2] on the cpu", "f32 [2] on the cpu"},
       [&] { op::scale(x, 2).backward(Tensor::zeros({2}, DType::bf16)); });
  data(Code::bad_shape, {"backward", "f32 [2] on the reference", "f32 [2] on the cpu"},
       [&] { op::scale(x, 2).backward(Tensor::zeros({2}, DType::f32, Device::reference)); });
}

TEST(Var, ASecondBackwardIsRefused) {
  const Var x = leaf({1, 2}), y = op::sum(op::scale(x, 2));
  y.backward();
  expect_error(Fault::data, Code::graph_freed, {"backward()"}, [&] { y.backward(); });
  expect_error(Fault::data, Code::none, {"leaf", "[]"}, [&] { Var(y).set_wants_grad(false); });
}

// The second loss shares a step that the first backward() freed. Without a check its gradient would silently
// stop there.
TEST(Var, ABackwardIntoReleasedStepsIsRefused) {
  const Var x = leaf({1, 2}), shared = op::scale(x, 2);
  const Var first = op::sum(shared), second = op::sum(op::multiply(shared, shared));
  first.backward();
  expect_error(Fault::data, Code::graph_freed, {"backward()"}, [&] { second.backward(); });
}

TEST(Tape, ReleasesMemoryAsItUnwinds) {
  constexpr int kSteps = 50;
  constexpr int64_t kBytes = 1 << 20;
  const Var x = Var::parameter(Tensor::full({kBytes / 4}, 0.5));
  const int64_t before = allocated_bytes();
  Var y = x;
  int64_t last = 0, runs = 0;
  for (int i = 0; i < kSteps; ++i) {
    // An additional step that checks the allocated bytes when it runs.
    const Var from = op::activate(y, Activation::tanh);
    y = record(from.value(), {from}, [&, from](const Tensor& dy) {
      if (runs++ > 0) {
        EXPECT_LT(allocated_bytes(), last) << "run " << runs;
      }
      last = allocated_bytes();
      from.accumulate(dy);
    });
  }
  EXPECT_GE(allocated_bytes() - before, kSteps * kBytes);
  const Var loss = op::sum(std::exchange(y, Var()));
  reset_peak_bytes();
  const int64_t at_start = allocated_bytes();
  loss.backward();
  EXPECT_EQ(runs, kSteps);
  // The gradient of the result and that of the input.
  EXPECT_LE(peak_bytes() - at_start, 2 * kBytes + 4096);
  EXPECT_EQ(allocated_bytes() - before, kBytes + 64) << "the gradient of x and the loss are all that stays";
}

TEST(Tape, AMillionStepsAreDestroyedWithoutRecursion) {
  const Var x = leaf({1});
  Var y = x;
  for (int i = 0; i < 1'000'000; ++i) y = record(y.value(), {y}, [y](const Tensor& dy) { y.accumulate(dy); });
  y = Var();
  EXPECT_FALSE(x.grad());
}

TEST(Tape, AMillionStepsGoBackWithoutRecursion) {
  const Var x = leaf({1});
  Var y = x;
  for (int i = 0; i < 1'000'000; ++i) y = record(y.value(), {y}, [y](const Tensor& dy) { y.accumulate(dy); });
  y.backward();
  EXPECT_EQ(x.grad().values(), (Floats{1}));
}

}  // namespace
}  // namespace locus
