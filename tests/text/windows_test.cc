#include "locus/text/windows.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <set>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

// 0, 1, 2, ...: the first id of a window is its offset.
std::shared_ptr<const TokenStream> counting(int64_t size) {
  Ids ids(static_cast<size_t>(size));
  std::iota(ids.begin(), ids.end(), 0);
  return std::make_shared<MemoryTokens>(ids, 1 << 20, "'x'");
}

TEST(Windows, InputsAndTargets) {
  const Windows windows(counting(14), {.context = 4, .stride = 3, .batch = 2});
  EXPECT_EQ(windows.size(), 4);
  EXPECT_EQ(windows.batches(), 2);
  const WindowBatch batch = windows.batch(0, 1);
  EXPECT_EQ(batch.rows, 2);
  EXPECT_EQ(batch.inputs, (Ids{6, 7, 8, 9, 9, 10, 11, 12}));
  EXPECT_EQ(batch.targets, (Ids{7, 8, 9, 10, 10, 11, 12, 13}));
  EXPECT_EQ(batch.windows, (std::vector<int64_t>{2, 3}));
}

TEST(Windows, TheLastBatchIsKeptOrDropped) {
  const auto stream = counting(21);  // five windows of four tokens
  const Windows kept(stream, {.context = 4, .batch = 2});
  EXPECT_EQ(kept.batches(), 3);
  EXPECT_EQ(kept.batch(0, 2).rows, 1);
  const Windows dropped(stream, {.context = 4, .batch = 2, .keep_last = false});
  EXPECT_EQ(dropped.batches(), 2);
  expect_error(Fault::data, {"batch index is 2", "2 batches", "0 to 1"}, [&] { dropped.batch(0, 2); });
  expect_error(Fault::data, {"batch index is -1", "2 batches"}, [&] { dropped.batch(0, -1); });
  expect_error(Fault::data, {"epoch is -1"}, [&] { dropped.batch(-1, 0); });
}

TEST(Windows, AShuffledEpochHasEveryWindowOnce) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<int64_t>(5, 300);
    const auto seed = *rc::gen::arbitrary<uint64_t>();
    const auto epoch = *rc::gen::inRange<int64_t>(0, 5);
    const Windows windows(counting(size),
                          {.context = 4, .stride = 2, .batch = 3, .shuffle = true, .seed = seed});
    std::set<int64_t> seen;
    for (int64_t b = 0; b < windows.batches(); ++b) {
      const WindowBatch batch = windows.batch(epoch, b);
      for (int64_t row = 0; row < batch.rows; ++row) {
        RC_ASSERT(seen.insert(batch.windows[row]).second);
        RC_ASSERT(batch.inputs[row * 4] == batch.windows[row] * 2);
      }
    }
    RC_ASSERT(static_cast<int64_t>(seen.size()) == windows.size());
  }));
}

TEST(Windows, TheOrderDependsOnSeedAndEpochAlone) {
  const WindowOptions options = {.context = 4, .batch = 50, .shuffle = true, .seed = 7};
  const Windows one(counting(201), options), other(counting(201), options);
  EXPECT_EQ(one.batch(3, 0).inputs, other.batch(3, 0).inputs);
  EXPECT_NE(one.batch(3, 0).inputs, one.batch(4, 0).inputs);
  EXPECT_NE(one.batch(3, 0).inputs, Windows(counting(201), {.context = 4, .batch = 50}).batch(3, 0).inputs);
}

TEST(Windows, StreamsThatAreTooShort) {
  for (const int64_t size : {0, 1, 4}) {
    expect_error(Fault::data, {"'x'", fmt::format("{} tokens", size).c_str(), "5", "4"},
                 [&] { Windows(counting(size), {.context = 4}); });
  }
  EXPECT_EQ(Windows(counting(5), {.context = 4}).size(), 1);
  expect_error(Fault::data, {"'x'", "2 windows", "3", "keep_last"},
               [] { Windows(counting(9), {.context = 4, .batch = 3, .keep_last = false}); });
}

TEST(Windows, InvalidOptions) {
  expect_error(Fault::data, {"context is 0", "1"}, [] { Windows(counting(9), {.context = 0}); });
  expect_error(Fault::data, {"stride is -1", "1"},
               [] { Windows(counting(9), {.context = 4, .stride = -1}); });
  expect_error(Fault::data, {"batch is 0", "1"}, [] { Windows(counting(9), {.context = 4, .batch = 0}); });
  expect_error(Fault::data, {"9223372036854775807"},
               [] { Windows(counting(9), {.context = INT64_MAX - 1}); });
}

TEST(MemoryTokens, IdsOutsideTheVocabulary) {
  expect_error(Fault::data, Code::bad_token, {"'x'", "token 2", "5", "0 to 4"}, [] {
    MemoryTokens({0, 4, 5}, 5, "'x'");
  });
  expect_error(Fault::data, Code::bad_token, {"'x'", "token 0", "-1", "0 to 4"},
               [] { MemoryTokens({-1}, 5, "'x'"); });
}

}  // namespace
}  // namespace locus
