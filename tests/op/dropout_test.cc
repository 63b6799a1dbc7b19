#include "locus/op/dropout.h"

#include <limits>

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"
#include "tests/op/shapes.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

TEST(OpDropout, GradientsInEveryShape) {
  for (const float rate : {0.0f, 0.3f, 0.9f}) {
    const auto f = [=](Vars in) { return dropout(in[0], rate, Random(1, 2)); };
    for (const Shape& shape : testing::kShapes) check_op(f, {{shape}});
    check_op(f, {{{3, 5}, 1, true}});
  }
}

TEST(OpDropout, TheSameMaskForwardAndBackward) {
  const Var x = Var::parameter(Tensor::full({100, 7}, 1));
  const Var y = dropout(x, 0.4f, Random(1, 2));
  y.backward(Tensor::full({100, 7}, 1));
  EXPECT_EQ(x.grad().values(), y.value().values());
}

TEST(OpDropout, KeepsWhatTheRateSays) {
  constexpr int64_t kCount = 100'000;
  for (const float rate : {0.1f, 0.5f}) {
    const std::vector<float> y = dropout(Var(Tensor::full({kCount}, 1)), rate, Random(3, 4)).value().values();
    const auto dropped = static_cast<double>(std::ranges::count(y, 0.0f));
    // Four standard deviations of a binomial: a correct mask fails for one in 16,000 seeds, and the seed is
    // fixed.
    const double expected = kCount * static_cast<double>(rate);
    EXPECT_NEAR(dropped, expected, 4 * std::sqrt(expected * (1 - static_cast<double>(rate))));
    for (const float value : y) ASSERT_TRUE(value == 0 || value == 1 / (1 - rate)) << value;
  }
}

TEST(OpDropout, IsAFunctionOfSeedAndStream) {
  const Var x(Tensor::full({1000}, 1));
  const auto mask = [&](uint64_t seed, uint64_t stream) {
    return dropout(x, 0.5f, Random(seed, stream)).value().values();
  };
  EXPECT_EQ(mask(1, 2), mask(1, 2));
  EXPECT_NE(mask(1, 2), mask(1, 3));
  EXPECT_NE(mask(1, 2), mask(2, 2));
}

TEST(OpDropout, TheSameElementsWhateverTheLayoutAndTheDevice) {
  const Tensor whole = Tensor::full({9, 12}, 1), part = whole.columns(2, 9);
  const auto values = [](const Tensor& x) { return dropout(Var(x), 0.5f, Random(5, 6)).value().values(); };
  EXPECT_EQ(values(part), values(part.clone()));
  EXPECT_EQ(values(part), values(part.on(Device::reference)));
}

TEST(OpDropout, RateZeroIsNothingAtAll) {
  const Var x(Tensor::full({2}, 1));
  EXPECT_TRUE(dropout(x, 0, Random(1, 2)).value().shares_memory_with(x.value()));
}

TEST(OpDropout, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3}));
  const Random random(1, 2);
  expect_bad_argument({"dropout", "x"}, [&] { dropout(Var(), 0.1f, random); });
  expect_bad_shape({"dropout", "x", "i32"},
                   [&] { dropout(Var(Tensor::zeros({2}, DType::i32)), 0.1f, random); });
  for (const float rate : {1.0f, -0.1f, std::numeric_limits<float>::quiet_NaN()}) {
    expect_bad_argument({"dropout", "rate", "0", "1"}, [&] { dropout(x, rate, random); });
  }
}

}  // namespace
}  // namespace locus::op
