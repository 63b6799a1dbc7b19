#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"
#include "tests/scheme/steps.h"

namespace locus::testing {
namespace {

constexpr Geometry kDebertaGeometry = {.width = 8, .heads = 2, .head_size = 4, .max_length = 512};

ScoreTerms scores(const OptionValues& options, int64_t length, const Geometry& geometry = kDebertaGeometry) {
  Parameters parameters;
  const auto scheme = make_scheme("deberta", geometry, options, Scope(parameters), Random(1, 2));
  const Var weight(Tensor::full({8, 8}, 0.5));
  return scheme->begin(Placement::rectangle(1, length))
      .scores({.query_weight = weight, .key_weight = weight});
}

TEST(Deberta, SlotsOfFarDistances) {
  const SafetensorsFile maps = golden_maps();
  const int64_t furthest = std::stoll(maps.metadata().at("furthest"));
  int checked = 0;
  for (const TensorEntry& entry : maps.entries()) {
    if (!entry.name.starts_with("deberta.")) continue;
    SCOPED_TRACE(entry.name);
    const size_t count = entry.name.find('.') + 1, most = entry.name.find('.', count) + 1,
                 side = entry.name.find('.', most) + 1;
    const ScoreTerms terms = scores({{"buckets", entry.name.substr(count, most - count - 1)},
                                     {"max_distance", entry.name.substr(most, side - most - 1)}},
                                    furthest);
    const std::vector<int32_t> want = expand(maps.read(entry.name), static_cast<size_t>(furthest));
    const int64_t step = entry.name.substr(side) == "behind" ? -1 : 1;
    for (const SlotTerm& term : {*terms.by_query, *terms.by_key}) {
      const auto got = term.slots.values();
      for (int64_t n = 0; n < furthest; ++n) {
        ASSERT_EQ(got[static_cast<size_t>(term.zero + step * n)], want[static_cast<size_t>(n)]) << n;
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 8);
}

TEST(Deberta, ScaleCountsTheTerms) {
  EXPECT_FLOAT_EQ(*scores({}, 2).scale, 1 / std::sqrt(12.0f));
  EXPECT_FLOAT_EQ(*scores({{"terms", "c2p"}}, 2).scale, 1 / std::sqrt(8.0f));
}

TEST(Deberta, RefusesDistancesThatCannotBe) {
  Geometry endless = kDebertaGeometry;
  endless.max_length = 0;
  expect_error(Fault::usage, {"deberta", "max_distance", "0", "max_length"}, [&] { scores({}, 2, endless); });
  expect_error(Fault::usage, {"deberta", "buckets", "3", "4", "0"}, [] { scores({{"buckets", "3"}}, 2); });
}

// A model with fewer positions than buckets: each distance up to half of the buckets has its own slot, all
// others share the last slot.
TEST(Deberta, MoreBucketsThanDistances) {
  const SlotTerm term = *scores({{"buckets", "8"}, {"max_distance", "5"}}, 7).by_query;
  // keys from 6 before to 6 after the query
  EXPECT_TRUE(
      std::ranges::equal(term.slots.values(), std::vector{15, 15, 12, 11, 10, 9, 8, 7, 6, 5, 4, 0, 0}));
}

TEST(Deberta, SharedProjectionsNeedALayer) {
  Parameters parameters;
  const auto scheme = make_scheme("deberta", kDebertaGeometry, {}, Scope(parameters), Random(1, 2));
  const SchemePass pass = scheme->begin(Placement::rectangle(1, 2));
  expect_error(Fault::data, {"deberta", "layer 3"}, [&] { pass.scores({.layer = 3}); });
}

// Without a norm the rows are views of the table, whose address does not change with its values.
TEST(Deberta, DropsItsCacheWhenTheTableWasUnfrozenForAPass) {
  Parameters parameters;
  const auto scheme =
      make_scheme("deberta", kDebertaGeometry, {{"norm", "false"}}, Scope(parameters), Random(1, 2));
  const Var weight(Tensor::full({8, 8}, 0.5));
  const LayerView layer = {.query_weight = weight, .key_weight = weight, .frozen = true};
  const auto keys = [&] {
    return scheme->begin(Placement::rectangle(1, 5)).scores(layer).by_query->table.value();
  };
  parameters.freeze("");
  const std::vector<float> before = keys().values();
  parameters.unfreeze("");
  scheme->begin(Placement::rectangle(1, 5));
  std::ranges::fill(parameters.at("table").value().data<float>(), 2.0f);
  parameters.freeze("");
  EXPECT_NE(before, keys().values());
  EXPECT_EQ(keys().values(), std::vector<float>(before.size(), 8.0f));
}

}  // namespace
}  // namespace locus::testing
