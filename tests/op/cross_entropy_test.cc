#include "locus/op/cross_entropy.h"

#include <limits>

#include "tests/expect_error.h"
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
      const Tensor weights = multiply(in[1], in[1]).value();  // none below 0
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
    // The log sum is kept as f32: near 1000 it is rounded by up to 3e-5, a quarter of which comes here.
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5f) << i;
  }
}

TEST(OpCrossEntropy, EveryErrorNamesTheOpAndTheArgument) {
  const Var logits(Tensor::zeros({2, 3}));
  const Tensor targets = targets_of({2}, {0, 1});
  const auto data = [](std::initializer_list<const char*> parts, auto call) {
    expect_error(Fault::data, parts, call);
  };
  data({"cross_entropy: logits is missing"}, [&] { cross_entropy(Var(), targets); });
  data({"cross_entropy: logits has shape [], expected rank 1 or more"},
       [&] { cross_entropy(Var(Tensor::scalar(1)), targets); });
  data({"cross_entropy: logits is i32"}, [&] { cross_entropy(Var(targets), targets); });
  data({"cross_entropy: targets are missing"}, [&] { cross_entropy(logits, {}); });
  data({"cross_entropy: targets are f32, expected i32"}, [&] { cross_entropy(logits, Tensor::zeros({2})); });
  data({"cross_entropy: targets[1] is 3, expected 0 to 2, or -100"}, [&] {
    cross_entropy(logits, targets_of({2}, {0, 3}));
  });
  data({"cross_entropy: targets[0] is -1, expected 0 to 2, or -100"}, [&] {
    cross_entropy(logits, targets_of({2}, {-1, 0}));
  });
  data({"cross_entropy: targets have shape [1], expected [2] (one for each row of logits [2, 3])"},
       [&] { cross_entropy(logits, targets_of({1}, {0})); });
  // As many, but in another order.
  data({"cross_entropy: targets have shape [3, 2], expected [2, 3]"}, [&] {
    cross_entropy(Var(Tensor::zeros({2, 3, 4})), Tensor::zeros({3, 2}, DType::i32));
  });
  data({"cross_entropy: smoothing is 1.5, expected 0 to 1"},
       [&] { cross_entropy(logits, targets, {.smoothing = 1.5f}); });
  data({"cross_entropy: smoothing is nan"},
       [&] { cross_entropy(logits, targets, {.smoothing = std::numeric_limits<float>::quiet_NaN()}); });
  data({"cross_entropy: weights has shape [2], expected [3] (the number of classes)"},
       [&] { cross_entropy(logits, targets, {.weights = Tensor::zeros({2})}); });
  data({"cross_entropy: weights is f32 on the reference, but logits is f32 on the cpu"}, [&] {
    cross_entropy(logits, targets, {.weights = Tensor::zeros({3}, DType::f32, Device::reference)});
  });
  data({"cross_entropy: no target counts: all 2 are ignored or have weight 0"}, [&] {
    cross_entropy(logits, targets_of({2}, {-100, -100}));
  });
  data({"no target counts"}, [&] { cross_entropy(logits, targets, {.weights = Tensor::zeros({3})}); });
  data({"cross_entropy: no target counts: all 0 are"}, [&] {
    cross_entropy(Var(Tensor::zeros({0, 3})), Tensor::zeros({0}, DType::i32));
  });
  data({"cross_entropy: targets[0] is 0, expected none, there is nothing to choose, or -100"}, [&] {
    cross_entropy(Var(Tensor::zeros({2, 0})), targets);
  });
}

}  // namespace
}  // namespace locus::op
