#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/scheme/making.h"

namespace locus {
namespace {

constexpr Geometry kSinusoidalGeometry{.width = 12, .heads = 2, .head_size = 6};

// The rows of positions 0 .. 39.
std::vector<float> rows(const OptionValues& options) {
  const SchemePass pass = make("sinusoidal", options, kSinusoidalGeometry).scheme->begin(of_lengths({40}));
  return pass.input()->table.value().rows(0, 40).clone().values();
}

void expect_rounded(const std::vector<float>& actual, const Tensor& exact) {
  const auto expected = exact.data<double>();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) ASSERT_EQ(actual[i], static_cast<float>(expected[i])) << i;
}

TEST(Sinusoidal, IsThePapersFormulaRounded) {
  const SafetensorsFile file = golden("sinusoidal");
  expect_rounded(rows({}), file.read("paper").rows(0, 40));
  expect_rounded(rows({{"first", "1"}}), file.read("paper").rows(1, 41).clone());
  expect_rounded(rows({{"pairs", "halves"}, {"spacing", "closed"}}), file.read("tensor2tensor").rows(0, 40));
}

TEST(Sinusoidal, HasTheBitsOfTransformersTables) {
  const SafetensorsFile file = golden("sinusoidal");
  EXPECT_EQ(rows({}), file.read("distilbert").values());
  EXPECT_EQ(rows({{"pairs", "halves"}}), file.read("marian").values());
}

TEST(Sinusoidal, IsNearM2M100sFloatTable) {
  // That table is computed in float32: a frequency has an error of one ulp (6e-8), at an angle of 39.
  const std::vector<float> expected = golden("sinusoidal").read("m2m100").values();
  const std::vector<float> actual = rows({{"pairs", "halves"}, {"spacing", "closed"}});
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 5e-6) << i;
}

TEST(Sinusoidal, HasRowsForFarAndScatteredPositions) {
  const Made made = make("sinusoidal", {}, kSinusoidalGeometry);
  const SchemePass near = made.scheme->begin(of_lengths({3}));
  const SchemePass far = made.scheme->begin(Placement::given(Tensor::of({1, 3}, {2000000000, 2, 2})));
  EXPECT_EQ(far.input()->table.shape(), (Shape{2, 12})) << "only the rows that occur";
  EXPECT_TRUE(std::ranges::equal(far.input()->rows.values(), std::vector{1, 0, 0}));
  EXPECT_EQ(far.input()->table.value().rows(0, 1).values(), near.input()->table.value().rows(2, 3).values());
  EXPECT_EQ(far.input()->table.value().data<float>()[12], static_cast<float>(std::sin(2e9)));
}

TEST(Sinusoidal, MayBeJoined) {
  const Made made = make("sinusoidal", {{"combine", "joined"}, {"width", "4"}}, kSinusoidalGeometry);
  const SchemePass pass = made.scheme->begin(of_lengths({3}));
  EXPECT_TRUE(pass.input()->joined);
  EXPECT_EQ(pass.input()->table.shape()[1], 4);
  EXPECT_EQ(made.parameters->numel(), 0);
}

TEST(Sinusoidal, RefusesOptionsThatDoNotFit) {
  expect_error(Fault::usage, {"sinusoidal", "width", "5"}, [] {
    make("sinusoidal", {{"combine", "joined"}, {"width", "5"}}, kSinusoidalGeometry);
  });
  expect_error(Fault::usage, {"sinusoidal", "width", "4", "0", "joined"}, [] {
    make("sinusoidal", {{"width", "4"}}, kSinusoidalGeometry);
  });
}

}  // namespace
}  // namespace locus
