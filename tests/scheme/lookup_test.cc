#include "locus/scheme/lookup.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Floats = std::vector<float>;

Var table() { return Var::parameter(Tensor::of({3, 2}, {0.0f, 1.0f, 10.0f, 11.0f, 20.0f, 21.0f})); }

TEST(Lookup, GivesARowForEveryPosition) {
  const Var out = lookup(Tensor::of({2, 2}, {2.0f, -0.0f, 1.0f, 2.0f}), table());
  EXPECT_EQ(out.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(out.value().values(), (Floats{20, 21, 0, 1, 10, 11, 20, 21}));
  EXPECT_EQ(lookup(Tensor::zeros({2, 0}), table()).shape(), (Shape{2, 0, 2}));
}

TEST(Lookup, AddsUpTheGradientsOfRepeatedPositions) {
  const Var rows = table();
  lookup(Tensor::of({2, 2}, {2, 0, 1, 2}), rows)
      .backward(Tensor::of({2, 2, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f}));
  EXPECT_EQ(rows.grad().values(), (Floats{3, 4, 5, 6, 8, 10}));
}

TEST(Lookup, RefusesWhatTheTableDoesNotHave) {
  const auto refused = [](const Tensor& positions, Code code, std::initializer_list<const char*> values) {
    expect_error(Fault::data, code, values, [&] { lookup(positions, table()); });
  };
  refused(Tensor::of({1, 2}, {0.0f, 3.0f}), Code::bad_position, {"lookup", "positions[0, 1]", "3", "3 rows"});
  refused(Tensor::of({2, 1}, {0, -1}), Code::bad_position, {"lookup", "positions[1, 0]", "-1", "3 rows"});
  refused(Tensor::of({1, 1}, {0.5f}), Code::bad_position, {"lookup", "positions[0, 0]", "0.5", "3 rows"});
  refused(Tensor::zeros({2}), Code::bad_shape, {"lookup", "positions", "[2]", "[sequences, tokens]"});
  expect_error(Fault::data, Code::bad_shape, {"lookup", "table", "[3]", "[max_len, d_model]"}, [] {
    lookup(Tensor::zeros({1, 1}), Var(Tensor::zeros({3})));
  });
  expect_error(Fault::data, Code::bad_shape, {"lookup", "table"}, [] {
    lookup(Tensor::zeros({1, 1}), Var());
  });
  expect_error(Fault::data, Code::bad_position, {"positions[0, 0]", "0", "0 rows"}, [] {
    lookup(Tensor::zeros({1, 1}), Var(Tensor::zeros({0, 2})));
  });
}

}  // namespace
}  // namespace locus
