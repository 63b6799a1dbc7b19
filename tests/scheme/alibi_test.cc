#include <gtest/gtest.h>

#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"
#include "tests/scheme/steps.h"

namespace locus::testing {
namespace {

// The slope of every head: the bias of one step, negated.
std::vector<float> slopes(int64_t heads, const OptionValues& options = {}) {
  Parameters parameters;
  const Geometry geometry{.width = heads * 16, .heads = heads, .head_size = 16};
  const auto scheme = make_scheme("alibi", geometry, options, Scope(parameters), Random(1, 2));
  EXPECT_TRUE(parameters.all().empty());
  const DistanceTerm term = *scheme->begin(Placement::rectangle(1, 2)).scores({}).by_distance;
  std::vector<float> found;
  for (int64_t h = 0; h < heads; ++h) {
    const Tensor row = term.table.value().rows(h, h + 1);
    EXPECT_EQ(row.values()[static_cast<size_t>(term.zero)], 0);
    EXPECT_EQ(row.values()[0], row.values()[2]) << "symmetric";
    found.push_back(-row.values()[0]);
  }
  return found;
}

// transformers raises a rounded base to powers in f32, where each product has an error of half an ulp.
TEST(Alibi, SlopesOfEveryNumberOfHeads) {
  const SafetensorsFile maps = golden_maps();
  for (int64_t heads = 1; heads <= 40; ++heads) {
    SCOPED_TRACE(heads);
    const std::vector<float> want = maps.read(fmt::format("alibi.{}", heads)).values(), got = slopes(heads);
    ASSERT_EQ(got.size(), want.size());
    for (size_t h = 0; h < want.size(); ++h) EXPECT_NEAR(got[h], want[h], 4e-6 * want[h]) << h;
  }
}

TEST(Alibi, PowersOfTwoAreExact) {
  EXPECT_EQ(slopes(8),
            (std::vector<float>{0.5f, 0.25f, 0.125f, 0x1p-4f, 0x1p-5f, 0x1p-6f, 0x1p-7f, 0x1p-8f}));
}

TEST(Alibi, RoundedAndScaled) {
  const float third = slopes(16)[0];  // 2^-0.5, which bf16 cannot represent
  EXPECT_EQ(slopes(16, {{"bf16", "true"}})[0], 0.70703125f);
  EXPECT_EQ(slopes(16, {{"scaled", "true"}})[0], third / 4);
}

TEST(Alibi, OneSlopeForEveryHead) {
  expect_error(Fault::usage, {"alibi", "slopes", "2", "3"}, [] { slopes(3, {{"slopes", "1, 2"}}); });
}

}  // namespace
}  // namespace locus::testing
