#include "locus/scheme/position_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <thread>

namespace locus {
namespace {

// Table 0 contains the position, table 1 the variant, both twice.
PositionTable numbers(std::atomic<int>* computed = nullptr) {
  return PositionTable(2, 2, [=](int64_t variant) {
    return [=](int64_t position, std::span<float> row) {
      if (computed != nullptr) ++*computed;
      row[0] = row[1] = static_cast<float>(position);
      row[2] = row[3] = static_cast<float>(variant);
    };
  });
}

bool right(const PositionTable::Found& found, const Placement& placement, std::span<const int64_t> variants) {
  const auto side = [&](const Indices& starts, const Indices& positions, const Indices& rows) {
    for (int64_t b = 0; b < placement.count(); ++b) {
      for (int32_t n = starts.values()[b]; n < starts.values()[b + 1]; ++n) {
        const int64_t at = rows.values()[n] * 2;
        const float variant = variants.empty() ? 0 : static_cast<float>(variants[b]);
        if (found.tables[0].data<float>()[at] != static_cast<float>(positions.values()[n])) return false;
        if (found.tables[1].data<float>()[at + 1] != variant) return false;
      }
    }
    return true;
  };
  const Sequences& s = placement.sequences();
  return side(s.query_starts, s.query_positions, found.query_rows) &&
         side(s.key_starts, s.key_positions, found.key_rows);
}

RC_GTEST_PROP(PositionTable, GivesEveryTokenItsRow, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(0, 4), columns = *rc::gen::inRange<int64_t>(0, 6);
  const Tensor ids = Tensor::zeros({rows, columns}, DType::i32);
  const int32_t most = *rc::gen::element(3, 50, 16000000);  // exact as f32
  for (int32_t& id : ids.data<int32_t>()) id = *rc::gen::inRange<int32_t>(0, most);
  const Placement text = Placement::given(ids);
  const Placement placement = text.after(text);
  std::vector<int64_t> variants;
  if (*rc::gen::arbitrary<bool>()) {
    for (int64_t b = 0; b < rows; ++b) variants.push_back(*rc::gen::inRange<int64_t>(0, 4));
  }
  const PositionTable table = numbers();
  RC_ASSERT(right(table.find(placement, variants), placement, variants));
  RC_ASSERT(right(table.find(placement, variants), placement, variants));
}

TEST(PositionTable, ComputesARowOnceUntilItGrows) {
  std::atomic<int> computed = 0;
  const PositionTable table = numbers(&computed);
  const auto find = [&](int64_t length) { return table.find(Placement::rectangle(1, length)); };
  const Tensor first = find(5).tables[0];
  EXPECT_EQ(computed, 8);
  EXPECT_TRUE(find(8).tables[0].shares_memory_with(first));
  EXPECT_EQ(computed, 8);
  find(9);
  EXPECT_EQ(computed, 24);
  EXPECT_EQ(first.values()[2], 1.0f) << "a table handed out stays as it was";
}

TEST(PositionTable, TakesNoMemoryForPositionsThatDoNotOccur) {
  const PositionTable table = numbers();
  const Placement far = Placement::given(Tensor::of({1, 2}, {2000000000, 7}));
  EXPECT_EQ(table.find(far).tables[0].size(0), 2);
}

TEST(PositionTable, ServesThreadsAtOnce) {
  const PositionTable table = numbers();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int64_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t length = t; length < 600; length += 13) {
        const Placement placement = Placement::rectangle(1, length);
        if (!right(table.find(placement), placement, {})) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace locus
