#include "locus/train/batches.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "locus/train/text_samples.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

ListedSamples samples_of_lengths(const std::vector<int>& lengths) {
  std::vector<Sample> samples;
  for (const int length : lengths)
    samples.push_back({.ids = std::vector<int32_t>(static_cast<size_t>(length))});
  return ListedSamples(std::move(samples), "the list");
}

std::vector<int64_t> indices(Batches& batches, int64_t step, int64_t index = 0, int64_t count = 1) {
  std::vector<int64_t> result;
  for (const Batches::Pick& pick : batches.picks(step, index, count)) result.push_back(pick.index);
  return result;
}

TEST(Batches, TakeTheNextSamplesEpochAfterEpoch) {
  const ListedSamples samples = samples_of_lengths({1, 1, 1, 1, 1});
  Batches batches(samples, {.batch_size = 3, .shuffle = false});
  EXPECT_EQ(indices(batches, 2), (std::vector<int64_t>{3, 4, 0}));
  EXPECT_EQ(indices(batches, 1), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(batches.picks(2, 0, 1).back().epoch, 1);
  EXPECT_EQ(indices(batches, 2, 0, 2), (std::vector<int64_t>{3}));
  EXPECT_EQ(indices(batches, 2, 1, 2), (std::vector<int64_t>{4, 0}));
}

TEST(Batches, WithATokenBudgetTakeTheSamplesThatFit) {
  const ListedSamples samples = samples_of_lengths({4, 5, 9, 1, 2});
  Batches batches(samples, {.tokens = 10, .shuffle = false});
  EXPECT_EQ(indices(batches, 3),
            (std::vector<int64_t>{4, 0}));  // out of order: computes the earlier steps first
  EXPECT_EQ(indices(batches, 1), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(indices(batches, 2), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(indices(batches, 1, 0, 3).empty());
}

RC_GTEST_PROP(Batches, EveryEpochTakesEverySampleOnceInAnyOrderOfQueries, ()) {
  const int count = *rc::gen::inRange(1, 20);
  const auto lengths =
      *rc::gen::container<std::vector<int>>(static_cast<size_t>(count), rc::gen::inRange(0, 7));
  const ListedSamples samples = samples_of_lengths(lengths);
  const BatchOptions options{.batch_size = *rc::gen::inRange<int64_t>(1, 9),
                             .tokens = *rc::gen::element<int64_t>(0, 6, 13),
                             .seed = *rc::gen::arbitrary<uint64_t>()};
  const int64_t micro_batches = *rc::gen::inRange<int64_t>(1, 4);
  Batches batches(samples, options), fresh(samples, options);
  std::vector<Batches::Pick> line;
  int64_t step = 1;
  for (; static_cast<int>(line.size()) < 2 * count; ++step) {
    for (int64_t i = 0; i < micro_batches; ++i) {
      for (const Batches::Pick& pick : batches.picks(step, i, micro_batches)) line.push_back(pick);
    }
  }
  std::vector<int64_t> epoch(static_cast<size_t>(count));
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < count; ++i) {
      const Batches::Pick& pick = line[static_cast<size_t>(which * count + i)];
      RC_ASSERT(pick.epoch == which);
      epoch[static_cast<size_t>(i)] = pick.index;
    }
    std::ranges::sort(epoch);
    for (int i = 0; i < count; ++i) RC_ASSERT(epoch[static_cast<size_t>(i)] == i);
  }
  RC_ASSERT(indices(batches, step - 1) == indices(fresh, step - 1));
}

TEST(Batches, ImpossibleOptionsAreErrors) {
  expect_error(Fault::data, {"the list", "0"}, [] { Batches(samples_of_lengths({}), {}); });
  expect_error(Fault::data, {"the list", "2", "11", "10"}, [] {
    Batches(samples_of_lengths({1, 11}), {.tokens = 10});
  });
  expect_error(Fault::data, {"batch_size", "0", "1"},
               [] { Batches(samples_of_lengths({1}), {.batch_size = 0}); });
}

}  // namespace
}  // namespace locus
