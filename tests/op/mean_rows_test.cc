#include "locus/op/mean_rows.h"

#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;

Tensor starts(std::initializer_list<int32_t> values) {
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

TEST(OpMeanRows, TakesTheMeanOfEverySequence) {
  const Var x(Tensor::of({4, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 9.0f, 7.0f, 8.0f}));
  EXPECT_EQ(mean_rows(x, starts({0, 3, 4})).value().values(), (std::vector<float>{3, 5, 7, 8}));
}

TEST(OpMeanRows, HasTheRightGradients) {
  check_op([](std::span<const Var> in) { return mean_rows(in[0], starts({0, 1, 4, 9})); }, {{{9, 5}}});
  check_op([](std::span<const Var> in) { return mean_rows(in[0], starts({0})); }, {{{0, 5}}});
}

TEST(OpMeanRows, BadInputIsNamed) {
  const Var x(Tensor::zeros({3, 2}));
  expect_bad_argument({"mean_rows", "1", "2"}, [&] { mean_rows(x, starts({0, 2, 2, 3})); });
  expect_bad_argument({"mean_rows", "starts", "0", "2", "3"}, [&] { mean_rows(x, starts({0, 2})); });
  expect_bad_argument({"mean_rows", "starts"}, [&] { mean_rows(x, {}); });
  expect_bad_shape({"mean_rows", "x", "[3]", "[N, C]"}, [&] {
    mean_rows(Var(Tensor::zeros({3})), starts({0, 3}));
  });
}

}  // namespace
}  // namespace locus::op
