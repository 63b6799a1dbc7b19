#include <gtest/gtest.h>

#include <cmath>

#include "locus/scheme/scheme.h"

namespace locus::testing {
namespace {

// Parameters outside their range act as if they were at the bound, and still get the gradient to return.
TEST(Kerple, NumbersOutOfRange) {
  Parameters parameters;
  const auto scheme = make_scheme("kerple", {.width = 4, .heads = 1, .head_size = 4}, {{"form", "power"}},
                                  Scope(parameters), Random(1, 2));
  parameters.at("r1").value().data<float>()[0] = -3;
  parameters.at("r2").value().data<float>()[0] = 5;
  const DistanceTerm term = *scheme->begin(Placement::rectangle(1, 4)).scores({}).by_distance;
  const std::vector<float> bias = term.table.value().values();  // of distances -3 .. 3
  EXPECT_FLOAT_EQ(bias[0], -0.01f * 9);
  EXPECT_FLOAT_EQ(bias[1], -0.01f * 4);
  EXPECT_FLOAT_EQ(bias[3], 0);
  term.table.backward(Tensor::of({1, 7}, {1.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f}));
  EXPECT_FLOAT_EQ(parameters.at("r1").grad().values()[0], -9);
  EXPECT_FLOAT_EQ(parameters.at("r2").grad().values()[0], -0.01f * 9 * std::log(3.0f));
}

}  // namespace
}  // namespace locus::testing
