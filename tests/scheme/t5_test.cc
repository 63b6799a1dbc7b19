#include <gtest/gtest.h>

#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"
#include "tests/scheme/steps.h"

namespace locus::testing {
namespace {

constexpr Geometry kT5Geometry = {.width = 8, .heads = 1, .head_size = 8};

// The term of a table whose row b contains the number b: the buckets of all distances.
DistanceTerm buckets(const OptionValues& options, int64_t length, bool causal = false) {
  Parameters parameters;
  Geometry geometry = kT5Geometry;
  geometry.causal = causal;
  const auto scheme = make_scheme("t5", geometry, options, Scope(parameters), Random(1, 2));
  const auto rows = parameters.at("table").value().data<float>();
  for (size_t b = 0; b < rows.size(); ++b) rows[b] = static_cast<float>(b);
  return *scheme->begin(Placement::rectangle(1, length)).scores({}).by_distance;
}

TEST(T5, BucketsOfFarDistances) {
  const SafetensorsFile maps = golden_maps();
  const int64_t furthest = std::stoll(maps.metadata().at("furthest"));
  int checked = 0;
  for (const TensorEntry& entry : maps.entries()) {
    if (!entry.name.starts_with("t5.")) continue;
    SCOPED_TRACE(entry.name);
    const size_t sides = entry.name.find('.') + 1, count = entry.name.find('.', sides) + 1,
                 most = entry.name.find('.', count) + 1, side = entry.name.find('.', most) + 1;
    const DistanceTerm term = buckets({{"sides", entry.name.substr(sides, count - sides - 1)},
                                       {"buckets", entry.name.substr(count, most - count - 1)},
                                       {"max_distance", entry.name.substr(most, side - most - 1)}},
                                      furthest);
    const std::vector<int32_t> want = expand(maps.read(entry.name), static_cast<size_t>(furthest));
    const std::vector<float> got = term.table.value().values();
    const int64_t step = entry.name.substr(side) == "behind" ? -1 : 1;
    for (int64_t n = 0; n < furthest; ++n) {
      ASSERT_EQ(got[static_cast<size_t>(term.zero + step * n)], want[static_cast<size_t>(n)]) << n;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 20);
}

TEST(T5, SidesFollowTheModel) {
  EXPECT_EQ(buckets({}, 3, true).table.value().values(), (std::vector<float>{2, 1, 0, 0, 0}));
  EXPECT_EQ(buckets({}, 3, false).table.value().values(), (std::vector<float>{2, 1, 0, 17, 18}));
}

TEST(T5, RefusesBucketsThatCannotBe) {
  expect_error(Fault::usage, {"t5", "buckets", "3", "4"}, [] {
    buckets({{"buckets", "3"}, {"sides", "two"}}, 2);
  });
  expect_error(Fault::usage, {"t5", "max_distance", "8"}, [] {
    buckets({{"buckets", "32"}, {"max_distance", "8"}, {"sides", "two"}}, 2);
  });
  expect_error(Fault::usage, {"t5", "buckets", "'1'", "2"}, [] { buckets({{"buckets", "1"}}, 2); });
}

}  // namespace
}  // namespace locus::testing
