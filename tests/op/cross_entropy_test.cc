#include "locus/op/cross_entropy.h"

#include <limits>

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;

Tensor targets_of(Shape shape, std::vector<int32_t> targets) {
  return Tensor::of(shape, std::span<const int32_t>(targets));
}

TEST(OpCrossEntropy, PlainInAnyShape) {
  const auto with = [](const Tensor& targets) {
    return [=](Vars in) { return cross_entropy(in[0], targets); };
  };
  check_op(with(targets_of({4}, {2, 0, 4, 2})), {{{4, 5}, 3}});
  check_op(with(targets_of({2, 3}, {0, 8, 3, 1, 1, 7})), {{{2, 3, 9}, 3}});
  check_op(with(targets_of({}, {6})), {{{7}, 3}});
  check_op(with(targets_of({2}, {0, 1})), {{{2, 17}, 3, true}});
  check_op(with(targets_of({3}, {0, 0, 0})), {{{3, 1}}});
}

TEST(OpCrossEntropy, IgnoredTargetsCountForNothing) {
  const Tensor targets = targets_of({4}, {-100, 1, -100, 4});
  check_op([=](Vars in) { return cross_entropy(in[0], targets); }, {{{4, 5}, 3}});
  const Var logits = Var::parameter(testing::normal_tensor({4, 5}, Device::cpu, 1));
  cross_entropy(logits, targets).backward();
  for (const int64_t row : {0, 2}) {
    EXPECT_EQ(logits.grad().rows(row, row + 1).values(), std::vector<float>(5, 0));
  }
}

TEST(OpCrossEntropy, SmoothingAndWeights) {
  const Tensor targets = targets_of({4}, {2, -100, 4, 0});
  for (const float smoothing : {0.0f, 0.1f, 1.0f}) {
    check_op([=](Vars in) { return cross_entropy(in[0], targets, {.smoothing = smoothing}); }, {{{4, 5}, 3}});
    const auto weighted = [=](Vars in) {
      const Tensor weights = multiply(in[1], in[1]).value().on_host();  // no negative weights
      return cross_entropy(in[0], targets, {.smoothing = smoothing, .weights = weights});
    };
    check_op(weighted, {{.shape = {4, 5}, .scale = 3}, {.shape = {5}, .constant = true}});
  }
}

TEST(OpCrossEntropy, LargeLogitsAndMaskedClasses) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  for (const Device device : {Device::cpu, Device::reference}) {
    const Tensor values = Tensor::of({2, 3}, {1e3f, -1e4f, 1e3f, 0.0f, kNever, 0.0f}).on(device);
    const Var logits = Var::parameter(values), loss = cross_entropy(logits, targets_of({2}, {0, 2}));
    EXPECT_NEAR(loss.value().item(), std::log(2.0), 1e-6);
    loss.backward();
    const std::vector<float> got = logits.grad().values(), want = {-0.25f, 0, 0.25f, 0.25f, 0, -0.25f};
    // The log-sum-exp is stored as f32: near 1000 its rounding error is up to 3e-5, and a quarter of it shows
    // here.
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5f) << i;
  }
}

TEST(OpCrossEntropy, EveryErrorNamesTheOpAndTheArgument) {
  const Var logits(Tensor::zeros({2, 3}));
  const Tensor targets = targets_of({2}, {0, 1});
  expect_bad_argument({"cross_entropy", "logits"}, [&] { cross_entropy(Var(), targets); });
  expect_bad_shape({"cross_entropy", "logits", "[]", "1"},
                   [&] { cross_entropy(Var(Tensor::scalar(1)), targets); });
  expect_bad_shape({"cross_entropy", "logits", "i32"}, [&] { cross_entropy(Var(targets), targets); });
  expect_bad_argument({"cross_entropy", "targets"}, [&] { cross_entropy(logits, {}); });
  expect_bad_shape({"cross_entropy", "targets", "f32", "i32"},
                   [&] { cross_entropy(logits, Tensor::zeros({2})); });
  expect_bad_token({"cross_entropy", "targets[1]", "3", "0", "2", "-100"}, [&] {
    cross_entropy(logits, targets_of({2}, {0, 3}));
  });
  expect_bad_token({"cross_entropy", "targets[0]", "-1", "0", "2", "-100"}, [&] {
    cross_entropy(logits, targets_of({2}, {-1, 0}));
  });
  expect_bad_shape({"cross_entropy", "targets", "[1]", "[2]", "[2, 3]"},
                   [&] { cross_entropy(logits, targets_of({1}, {0})); });
  // The same number of targets, in another shape.
  expect_bad_shape({"cross_entropy", "targets", "[3, 2]", "[2, 3]"}, [&] {
    cross_entropy(Var(Tensor::zeros({2, 3, 4})), Tensor::zeros({3, 2}, DType::i32));
  });
  expect_bad_argument({"cross_entropy", "smoothing", "1.5", "0", "1"},
                      [&] { cross_entropy(logits, targets, {.smoothing = 1.5f}); });
  expect_bad_argument({"cross_entropy", "smoothing", "nan"}, [&] {
    cross_entropy(logits, targets, {.smoothing = std::numeric_limits<float>::quiet_NaN()});
  });
  expect_bad_shape({"cross_entropy", "weights", "[2]", "[3]"},
                   [&] { cross_entropy(logits, targets, {.weights = Tensor::zeros({2})}); });
  expect_bad_shape({"cross_entropy", "weights", "fenced"}, [&] {
    cross_entropy(logits, targets, {.weights = Tensor::zeros({3}, DType::f32, Device::fenced)});
  });
  expect_bad_argument({"cross_entropy", "2", "weight", "0"}, [&] {
    cross_entropy(logits, targets_of({2}, {-100, -100}));
  });
  expect_bad_argument({"cross_entropy", "2", "weight", "0"},
                      [&] { cross_entropy(logits, targets, {.weights = Tensor::zeros({3})}); });
  expect_bad_argument({"cross_entropy", "0"}, [&] {
    cross_entropy(Var(Tensor::zeros({0, 3})), Tensor::zeros({0}, DType::i32));
  });
  expect_bad_token({"cross_entropy", "targets[0]", "0", "-100"}, [&] {
    cross_entropy(Var(Tensor::zeros({2, 0})), targets);
  });
}

}  // namespace
}  // namespace locus::op
