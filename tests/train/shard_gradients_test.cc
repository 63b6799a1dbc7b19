#include "locus/train/shard_gradients.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

Tensor number(float value) { return Tensor::full({1}, value); }

// The sum of these gradients, each of one shard.
double sum_of_shards(const std::vector<float>& gradients) {
  Parameters parameters;
  const Var leaf = parameters.add("leaf", number(0), Role::bias);
  ShardGradients sums(parameters, std::ssize(gradients));
  for (const float gradient : gradients) {
    leaf.accumulate(number(gradient));
    sums.take();
    EXPECT_FALSE(leaf.grad());
  }
  sums.finish();
  return leaf.grad().item();
}

TEST(ShardGradients, AreAddedInATree) {
  EXPECT_EQ(sum_of_shards({1e8f, 1, -1e8f, 1}), 0);  // one after the other, the sum would be 1
  EXPECT_EQ(sum_of_shards({1, -1e8f, 1e8f, 1}), 0);
  EXPECT_EQ(sum_of_shards({1e8f, -1e8f, 1}), 1);
  EXPECT_EQ(sum_of_shards({1, 1e8f, -1e8f}), 0);
  EXPECT_EQ(sum_of_shards({2, 3, 4, 5, 6}), 20);
}

// A shard may use only a part of the model, or have no target at all.
TEST(ShardGradients, MayBeMissing) {
  Parameters parameters;
  const Var first = parameters.add("first", number(0), Role::bias);
  const Var second = parameters.add("second", number(0), Role::bias);
  const Var frozen = parameters.add("frozen", number(0), Role::bias);
  parameters.freeze("frozen");
  ShardGradients sums(parameters, 3);
  first.accumulate(number(2));
  sums.take();
  sums.take();
  first.accumulate(number(3));
  second.accumulate(number(4));
  sums.take();
  sums.finish();
  EXPECT_EQ(first.grad().item(), 5);
  EXPECT_EQ(second.grad().item(), 4);
  EXPECT_FALSE(frozen.grad());
}

// The sum is added in place, but never in the memory of a tensor that somebody keeps.
TEST(ShardGradients, LeaveOtherTensorsAlone) {
  Parameters parameters;
  const Var leaf = parameters.add("leaf", number(0), Role::bias);
  ShardGradients sums(parameters, 2);
  leaf.accumulate(number(2));
  const Tensor kept = leaf.grad();
  sums.take();
  leaf.accumulate(number(3));
  sums.take();
  sums.finish();
  EXPECT_EQ(kept.item(), 2);
  EXPECT_EQ(leaf.grad().item(), 5);
}

// A parameter whose gradient is complete is taken before the others.
TEST(ShardGradients, AreTakenInAnyOrder) {
  Parameters parameters;
  const Var first = parameters.add("first", number(0), Role::bias);
  const Var second = parameters.add("second", number(0), Role::bias);
  ShardGradients sums(parameters, 2);
  for (const float value : {2.0f, 3.0f}) {
    second.accumulate(number(10 * value));
    sums.take(1);
    first.accumulate(number(value));
    sums.take();
  }
  sums.finish();
  EXPECT_EQ(first.grad().item(), 5);
  EXPECT_EQ(second.grad().item(), 50);
}

TEST(ShardGradients, MustNotArriveAfterTheyWereTaken) {
  Parameters parameters;
  const Var late = parameters.add("late", number(0), Role::bias);
  ShardGradients sums(parameters, 2);
  late.accumulate(number(1));
  sums.take(0);
  late.accumulate(number(1));
  expect_error(Fault::bug, {"late"}, [&] { sums.take(); });
}

TEST(ShardGradients, NeedAllShards) {
  Parameters parameters;
  ShardGradients sums(parameters, 2);
  sums.take();
  expect_error(Fault::data, {"1", "2"}, [&] { sums.finish(); });
  sums.take();
  expect_error(Fault::data, {"2", "1"}, [&] { sums.take(); });
}

}  // namespace
}  // namespace locus
