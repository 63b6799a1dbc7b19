#include "locus/scheme/distance.h"

#include <gtest/gtest.h>

#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

TEST(Distance, SpanHasZeroInIt) {
  const Placement later = Placement::given(Tensor::of({1, 1}, {9})), first = Placement::rectangle(1, 3);
  const DistanceSpan span(later.cross_attention(first));  // the keys are 9 to 7 before the query
  EXPECT_EQ(span.least, -9);
  EXPECT_EQ(span.most, 0);
  EXPECT_EQ(span.size(), 10);
  EXPECT_EQ(span.zero(), 9);
  EXPECT_EQ(DistanceSpan(Placement::rectangle(0, 0)).size(), 1);
}

TEST(Distance, PositionsTooFarApart) {
  const Placement apart = Placement::given(Tensor::of({1, 2}, {0, 1 << 30}));
  expect_error(Fault::data, Code::bad_position, {"-1073741824", "1073741824", "16777216"},
               [&] { DistanceSpan{apart}; });
}

// Rows that several distances share get the sum of their gradients.
TEST(Distance, GatherByHead) {
  const Var table = Var::parameter(Tensor::of({2, 3}, {0.f, 1.f, 2.f, 10.f, 11.f, 12.f}));
  const Var out = gather_by_head(table, Tensor::of({4}, {1, 0, 1, 1}));
  EXPECT_EQ(out.value().values(), (std::vector<float>{10, 0, 10, 10, 11, 1, 11, 11, 12, 2, 12, 12}));
  out.backward(Tensor::of({3, 4}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f, 10.f, 11.f, 12.f}));
  EXPECT_EQ(table.grad().values(), (std::vector<float>{2, 6, 10, 8, 20, 32}));
}

TEST(Distance, SinusoidsComeInPairs) {
  Parameters parameters;
  expect_error(Fault::usage, {"transformer_xl", "width", "5"}, [&] {
    make_scheme("transformer_xl", {.width = 5, .heads = 1, .head_size = 5}, {}, Scope(parameters),
                Random(1, 2));
  });
}

}  // namespace
}  // namespace locus::testing
