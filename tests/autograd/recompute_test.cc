#include "locus/autograd/recompute.h"

#include <gtest/gtest.h>

#include "locus/op/activation.h"
#include "locus/op/dropout.h"
#include "locus/op/elementwise.h"
#include "locus/op/matmul.h"
#include "locus/op/norm.h"
#include "locus/tensor/storage.h"
#include "tests/expect_error.h"
#include "tests/op/gradient.h"

namespace locus {
namespace {

using testing::normal_tensor;
using Floats = std::vector<float>;
using Vars = std::span<const Var>;

// A block with its own parameters: x + dropout(linear(gelu(linear(norm(x))))).
struct Block {
  explicit Block(int64_t width, uint64_t seed)
      : gamma(Var::parameter(normal_tensor({width}, Device::cpu, seed))),
        up(Var::parameter(normal_tensor({2 * width, width}, Device::cpu, seed + 1, 0.3f))),
        down(Var::parameter(normal_tensor({width, 2 * width}, Device::cpu, seed + 2, 0.3f))),
        random(seed, 0) {}

  Var operator()(const Var& x) const {
    const Var hidden = op::linear(op::rms_norm(x, gamma, 1e-5f), up, {}, Activation::gelu);
    return op::add(x, op::dropout(op::linear(hidden, down), 0.2f, random));
  }

  Var gamma, up, down;
  Random random;
};

struct Outcome {
  std::vector<Floats> values;
  int64_t peak = 0;  // peak bytes above those allocated before
};

// The loss and all gradients of a chain of blocks.
Outcome run_blocks(int count, int64_t rows, int64_t width, bool again) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) blocks.emplace_back(width, 10 * static_cast<uint64_t>(i) + 1);
  const Var x = Var::parameter(normal_tensor({rows, width}, Device::cpu, 1000));
  const int64_t before = allocated_bytes();
  reset_peak_bytes();
  Var y = x;
  for (const Block& block : blocks) {
    y = again ? recompute([&block](Vars in) { return block(in[0]); }, {y}) : block(y);
  }
  const Var loss = op::sum(op::multiply(y, y));
  y = Var();
  loss.backward();
  Outcome outcome;
  outcome.peak = peak_bytes() - before;
  outcome.values = {loss.value().values(), x.grad().values()};
  for (const Block& block : blocks) {
    for (const Var& parameter : {block.gamma, block.up, block.down}) {
      outcome.values.push_back(parameter.grad().values());
    }
  }
  return outcome;
}

TEST(Recompute, GivesTheSameBits) {
  EXPECT_EQ(run_blocks(3, 5, 8, true).values, run_blocks(3, 5, 8, false).values);
}

// Without recompute(), 16 blocks keep about 7 values each; with it, one each and all values of a single
// block.
TEST(Recompute, NeedsLessMemoryOnADeepChain) {
  const int64_t kept = run_blocks(16, 256, 32, false).peak, dropped = run_blocks(16, 256, 32, true).peak;
  EXPECT_LT(dropped * 3, kept);
}

TEST(Recompute, KeepsOnlyTheInputsUntilBackward) {
  const Var x = Var::parameter(Tensor::full({1024}, 0.5));
  const int64_t before = allocated_bytes();
  const auto chain = [](Vars in) {
    Var y = in[0];
    for (int i = 0; i < 10; ++i) y = op::activate(y, Activation::tanh);
    return y;
  };
  const Var y = recompute(chain, {x});
  EXPECT_LE(allocated_bytes() - before, 4096 + 256) << "the result, and a token";
}

TEST(Recompute, SeveralInputsOfWhichSomeAreConstant) {
  const auto f = [](Vars in) { return op::multiply(op::multiply(in[0], in[1]), in[2]); };
  const Var a = Var::parameter(Tensor::full({2}, 2)), b = Var::parameter(Tensor::full({2}, 3)),
            constant(Tensor::full({2}, 5));
  recompute(f, {a, b, constant}).backward(Tensor::full({2}, 1));
  EXPECT_EQ(a.grad().values(), (Floats{15, 15}));
  EXPECT_EQ(b.grad().values(), (Floats{10, 10}));
  EXPECT_FALSE(constant.grad());
}

TEST(Recompute, OneInsideAnother) {
  const Var x = Var::parameter(Tensor::of({2}, {0.5f, 2.0f}));
  const auto square = [](Vars in) { return op::multiply(in[0], in[0]); };
  const auto fourth = [&](Vars in) { return recompute(square, {recompute(square, {in[0]})}); };
  recompute(fourth, {x}).backward(Tensor::full({2}, 1));
  EXPECT_EQ(x.grad().values(), (Floats{0.5f, 32}));
}

TEST(Recompute, GivesBackItsInputOrAParameter) {
  const Var x = Var::parameter(Tensor::full({2}, 1)), p = Var::parameter(Tensor::full({2}, 1));
  recompute([](Vars in) { return in[0]; }, {x}).backward(Tensor::full({2}, 3));
  recompute([&](Vars) { return p; }, {x}).backward(Tensor::full({2}, 4));
  EXPECT_EQ(x.grad().values(), (Floats{3, 3}));
  EXPECT_EQ(p.grad().values(), (Floats{4, 4}));
}

// `shared` is computed before the recomputed part. The recomputed part uses it although it is not an input,
// and so does an older step. The step of `shared` must wait for both.
TEST(Recompute, MayUseValuesThatAreNotAmongItsInputs) {
  const Var x = Var::parameter(Tensor::full({1}, 2)), p = Var::parameter(Tensor::full({1}, 3));
  const Var shared = op::multiply(p, p);
  const Var older = op::scale(shared, 10);
  const Var part = recompute([=](Vars in) { return op::multiply(in[0], shared); }, {x});
  op::add(part, older).backward();
  EXPECT_EQ(x.grad().values(), (Floats{9}));
  EXPECT_EQ(p.grad().values(), (Floats{(2 + 10) * 2 * 3}));
}

TEST(Recompute, GoesBackInsideNoGradToo) {
  const Var x = Var::parameter(Tensor::full({2}, 3));
  const Var y = recompute([](Vars in) { return op::multiply(in[0], in[0]); }, {x});
  {
    const NoGrad scope;
    y.backward(Tensor::full({2}, 1));
    EXPECT_FALSE(op::scale(x, 1).wants_grad());
  }
  EXPECT_EQ(x.grad().values(), (Floats{6, 6}));
}

TEST(Recompute, InsideNoGradIsJustTheFunction) {
  const NoGrad scope;
  const Var x = Var::parameter(Tensor::full({2}, 3));
  EXPECT_FALSE(recompute([](Vars in) { return op::scale(in[0], 2); }, {x}).wants_grad());
}

TEST(Recompute, AFailureComesOutAndLeavesRecordingOn) {
  const Var x = Var::parameter(Tensor::full({2}, 3));
  int calls = 0;
  const Var y = recompute(
      [&](Vars in) {
        require(++calls == 1, "no second time");
        return op::scale(in[0], 2);
      },
      {x});
  expect_error(Fault::data, {"no second time"}, [&] { y.backward(Tensor::full({2}, 1)); });
  const Var z = op::sum(x);
  z.backward();
  EXPECT_EQ(x.grad().values(), (Floats{1, 1}));
}

}  // namespace
}  // namespace locus
