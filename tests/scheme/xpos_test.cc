#include <gtest/gtest.h>

#include <cmath>

#include "tests/expect_error.h"
#include "tests/scheme/making.h"
#include "tests/scheme/rotation.h"

namespace locus {
namespace {

constexpr Geometry kXposGeometry{.width = 8, .heads = 1, .head_size = 8};

// q_i . k_j of all pairs of rotated queries and keys, and the sums of the absolute products.
struct Scores {
  std::vector<double> values, magnitudes;
};

Scores scores(const Tensor& positions, const OptionValues& options = {}) {
  const SafetensorsFile file = golden("xpos");
  const SchemePass pass = make("xpos", options, kXposGeometry).scheme->begin(Placement::given(positions));
  const std::vector<double> q = rotated(file.read("q"), *pass.rotation(), 8, false);
  const std::vector<double> k = rotated(file.read("k"), *pass.rotation(), 8, true);
  Scores result;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      double product = 0, magnitude = 0;
      for (int64_t c = 0; c < 8; ++c) {
        product += q[i * 8 + c] * k[j * 8 + c];
        magnitude += std::abs(q[i * 8 + c] * k[j * 8 + c]);
      }
      result.values.push_back(product);
      result.magnitudes.push_back(magnitude);
    }
  }
  return result;
}

TEST(Xpos, IsThePapersFormula) {
  const SafetensorsFile file = golden("xpos");
  const Tensor expected = file.read("scores");
  const Scores actual = scores(file.read("positions"));
  for (size_t i = 0; i < 25; ++i) {
    // Each product has two table entries rounded to f32: a relative error of 2^-23.
    EXPECT_NEAR(actual.values[i], expected.data<double>()[i], 0x1p-22 * actual.magnitudes[i]) << i;
  }
}

TEST(Xpos, DoesNotChangeWhenAllPositionsShift) {
  const Tensor positions = golden("xpos").read("positions");
  const Scores unshifted = scores(positions);
  for (const int32_t shift : {1, 16000, 1000000}) {
    const Tensor shifted = positions.clone();
    for (int32_t& position : shifted.data<int32_t>()) position += shift;
    const Scores actual = scores(shifted);
    for (size_t i = 0; i < 25; ++i) {
      EXPECT_NEAR(actual.values[i], unshifted.values[i], 0x1p-21 * actual.magnitudes[i]) << shift << " " << i;
    }
  }
}

TEST(Xpos, StaysFiniteOverLongSequences) {
  const SchemePass pass = make("xpos", {}, kXposGeometry).scheme->begin(of_lengths({49000}));
  for (const Tensor& table :
       {pass.rotation()->cos, pass.rotation()->sin, pass.rotation()->key_cos, pass.rotation()->key_sin}) {
    for (const float value : table.rows(0, 49000).clone().values()) ASSERT_TRUE(std::isfinite(value));
  }
}

// Cached keys are rotated: they are only valid as long as the variant is the same.
TEST(Xpos, TheVariantChangesWithTheTables) {
  const Made made = make("xpos", {{"scale_base", "2048"}}, kXposGeometry);
  const auto first_row = [&](int64_t length) {
    return made.scheme->begin(of_lengths({length}, {.offset = 1})).rotation()->key_cos.rows(1, 2).values();
  };
  for (const int64_t length : {16382, 16383, 16384, 49150, 49151, 49152}) {
    EXPECT_EQ(made.scheme->variant(length + 1) == made.scheme->variant(length + 2),
              first_row(length) == first_row(length + 1))
        << length;
  }
  EXPECT_EQ(made.scheme->variant(16384), 0);
  EXPECT_EQ(made.scheme->variant(16385), 1);
}

TEST(Xpos, RefusesWhatFloatsCannotHold) {
  const Made made = make("xpos", {}, kXposGeometry);
  expect_error(Fault::data, Code::bad_position,
               {"xpos", "sequence 1", "0", "69999", "32695", "32768", "scale_base"}, [&] {
                 made.scheme->begin(of_lengths({3, 70000}));
               });
  EXPECT_NO_THROW(
      make("xpos", {{"scale_base", "2048"}}, kXposGeometry).scheme->begin(of_lengths({3, 70000})));
  EXPECT_NO_THROW(made.scheme->begin(of_lengths({0})));
}

TEST(Xpos, RefusesOptionsThatDoNotFit) {
  expect_error(Fault::usage, {"xpos", "width", "10", "8"}, [] {
    make("xpos", {{"width", "10"}}, kXposGeometry);
  });
  expect_error(Fault::usage, {"xpos", "width", "3"}, [] { make("xpos", {{"width", "3"}}, kXposGeometry); });
}

}  // namespace
}  // namespace locus
