#include "locus/text/masking.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t kMask = 999, kVocabulary = 1000;

Masking masking(double rate = 0.15) { return {.rate = rate, .mask = kMask, .vocabulary = kVocabulary}; }

struct Corrupted {
  Ids ids, targets;
};

Corrupted corrupt(Ids ids, const Masking& how, int64_t epoch = 0, int64_t first = 0) {
  Ids targets(ids.size());
  mask_tokens(ids, targets, how, 7, epoch, first);
  return {ids, targets};
}

// The counts over 100,000 tokens are binomial; the tolerance is six standard deviations.
TEST(Masking, EightyTenTen) {
  const Ids ids(100'000, 5);
  const Corrupted got = corrupt(ids, masking());
  int chosen = 0, masked = 0, stayed = 0, replaced = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (got.targets[i] == kNoTarget) {
      EXPECT_EQ(got.ids[i], 5);
      continue;
    }
    EXPECT_EQ(got.targets[i], 5);
    ++chosen;
    ++(got.ids[i] == kMask ? masked : got.ids[i] == 5 ? stayed : replaced);
  }
  EXPECT_NEAR(chosen, 15'000, 680);
  EXPECT_NEAR(masked, 0.8 * chosen, 300);
  EXPECT_NEAR(stayed, 0.1 * chosen, 225);
  EXPECT_NEAR(replaced, 0.1 * chosen, 225);
}

TEST(Masking, IsAFunctionOfEpochAndIndex) {
  const Ids ids(1000, 5);
  const Corrupted whole = corrupt(ids, masking());
  const Corrupted part = corrupt(Ids(100, 5), masking(), 0, 400);
  EXPECT_EQ(part.ids, Ids(whole.ids.begin() + 400, whole.ids.begin() + 500));
  EXPECT_EQ(part.targets, Ids(whole.targets.begin() + 400, whole.targets.begin() + 500));
  EXPECT_NE(corrupt(ids, masking(), 1).targets, whole.targets);
}

TEST(Masking, SpecialTokensAreKept) {
  Masking how = masking(1);
  how.kept = {3};
  const Corrupted got = corrupt({3, 4, 3}, how);
  EXPECT_EQ(got.targets, (Ids{kNoTarget, 4, kNoTarget}));
  EXPECT_EQ(got.ids[0], 3);
}

TEST(Masking, AtLeastOneTokenIsMasked) {
  Masking how = masking(1e-6);
  how.kept = {3};
  for (int64_t epoch = 0; epoch < 20; ++epoch) {
    const Corrupted got = corrupt({3, 4, 4, 3}, how, epoch);
    EXPECT_EQ(std::ranges::count(got.targets, 4), 1) << epoch;
  }
  EXPECT_EQ(corrupt({3, 3}, how).targets, (Ids{kNoTarget, kNoTarget}));
}

TEST(Masking, RatesZeroAndOne) {
  EXPECT_EQ(corrupt({1, 2}, masking(0)).targets, (Ids{kNoTarget, kNoTarget}));
  EXPECT_EQ(corrupt({1, 2}, masking(1)).targets, (Ids{1, 2}));
  EXPECT_EQ(corrupt({}, masking()).ids, Ids{});
}

TEST(Masking, InvalidOptions) {
  expect_error(Fault::data, {"mask is -1", "0 to 999"}, [] { corrupt({1}, {.vocabulary = kVocabulary}); });
  expect_error(Fault::data, {"rate is 1.5", "0 to 1"}, [] { corrupt({1}, masking(1.5)); });
  expect_error(Fault::data, {"1 ids", "2 targets"}, [] {
    Ids ids(1), targets(2);
    mask_tokens(ids, targets, masking(), 0, 0, 0);
  });
}

}  // namespace
}  // namespace locus
