// Arithmetic that the GPU's kernels do on indices, on the CPU.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "locus/base/random.h"
#include "locus/kernel/cuda/index.h"

namespace locus::testing {
namespace {

using namespace kernel::cuda;

static_assert(divided_up(0, 4) == 0 && divided_up(1, 4) == 1 && divided_up(8, 4) == 2);

RC_GTEST_PROP(GpuIndex, TilesCoverEveryRowOnce, ()) {
  const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300)));
  std::vector<int32_t> starts = {0};
  for (const int length : lengths) starts.push_back(starts.back() + length);
  const auto sequences = static_cast<int64_t>(lengths.size());
  std::vector<int> seen(static_cast<size_t>(starts.back()));
  for (int64_t tile = 0; tile < tile_count(starts.back(), sequences); ++tile) {
    const int64_t b = sequence_of(tile, starts.data(), sequences);
    RC_ASSERT(b >= 0 && b < sequences);
    const int64_t start = starts[static_cast<size_t>(b)], end = starts[static_cast<size_t>(b) + 1];
    const int64_t first = start + (tile - first_tile(start, b)) * kTile;
    RC_ASSERT(first >= start);
    for (int64_t row = first; row < smaller(end, first + kTile); ++row) ++seen[static_cast<size_t>(row)];
  }
  RC_ASSERT(std::ranges::all_of(seen, [](int times) { return times == 1; }));
}

// keys_of() has every key that some query sees, and starts and ends with one; queries_of() likewise.
RC_GTEST_PROP(GpuIndex, RangesAreThoseThatTheMaskShows, ()) {
  const int64_t queries = *rc::gen::inRange(1, 40), keys = *rc::gen::inRange(1, 40);
  const Mask mask = {queries, keys, *rc::gen::arbitrary<bool>(), *rc::gen::inRange(0, 12)};
  const auto expect = [](Range got, int64_t count, auto sees) {
    Range want = {count, 0};
    for (int64_t n = 0; n < count; ++n) {
      if (sees(n)) want = {smaller(want.first, n), n + 1};
    }
    if (want.last == 0) {
      // No pair is seen. The range may have pairs that the mask hides, but nothing past the end.
      RC_ASSERT(got.first >= 0 && got.last <= count);
    } else {
      RC_ASSERT(got.first == want.first);
      RC_ASSERT(got.last == want.last);
    }
  };
  const int64_t i = *rc::gen::inRange<int64_t>(0, queries), j = *rc::gen::inRange<int64_t>(0, keys);
  const int64_t i_last = *rc::gen::inRange<int64_t>(i + 1, queries + 1);
  const int64_t j_last = *rc::gen::inRange<int64_t>(j + 1, keys + 1);
  expect(mask.keys_of(i, i_last), keys, [&](int64_t key) {
    for (int64_t q = i; q < i_last; ++q) {
      if (mask.sees(q, key)) return true;
    }
    return false;
  });
  expect(mask.queries_of(j, j_last), queries, [&](int64_t q) {
    for (int64_t key = j; key < j_last; ++key) {
      if (mask.sees(q, key)) return true;
    }
    return false;
  });
}

TEST(GpuIndex, DropoutUsesTheSameRandomBits) {
  const Random random(0x123456789abcdefu, 77);
  for (const uint64_t start : {uint64_t{0}, uint64_t{1} << 35}) {
    for (uint64_t index = start; index < start + 40; ++index) {
      const uint32_t word = random.block(half_block(index))[static_cast<size_t>(half_word(index))];
      EXPECT_EQ(word >> half_shift(index) & 0xffffu, random.half(index));
    }
  }
}

}  // namespace
}  // namespace locus::testing
