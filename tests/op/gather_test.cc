#include "locus/op/gather.h"

#include "locus/op/layout.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;
using Floats = std::vector<float>;

Tensor ids_of(Shape shape, std::vector<int32_t> ids) {
  return Tensor::of(shape, std::span<const int32_t>(ids));
}

TEST(OpGather, RowsInAnyShapeOfIds) {
  const auto with = [](const Tensor& ids) { return [=](Vars in) { return gather(in[0], ids); }; };
  check_op(with(ids_of({4}, {2, 0, 2, 1})), {{{3, 5}}});
  check_op(with(ids_of({2, 3}, {0, 0, 0, 6, 5, 6})), {{{7, 3}}});
  check_op(with(ids_of({1, 2, 1}, {1, 0})), {{{2, 17}, 1, true}});
  check_op(with(ids_of({}, {1})), {{{2, 3}}});
  check_op(with(ids_of({1}, {0})), {{{1, 1}}});
  check_op(with(ids_of({0}, {})), {{{3, 2}}});
  check_op(with(ids_of({0, 2}, {})), {{{0, 2}}});
}

TEST(OpGather, SendsGradientsBackThroughColumnViews) {
  const Tensor ids = ids_of({3}, {1, 1, 0});
  check_op([=](Vars in) { return split(gather(in[0], ids), {2, 3}); }, {{{2, 5}}});
}

TEST(OpGather, AFrozenRowGetsNoGradient) {
  const Var table = Var::parameter(Tensor::of({3, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}));
  const Var rows = gather(table, ids_of({4}, {1, 0, 1, 2}), 1);
  EXPECT_EQ(rows.value().values(), (Floats{3, 4, 1, 2, 3, 4, 5, 6}));
  rows.backward(Tensor::of({4, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f}));
  EXPECT_EQ(table.grad().values(), (Floats{3, 4, 0, 0, 7, 8}));
}

TEST(OpGather, EveryErrorNamesTheOpAndTheArgument) {
  const Var table(Tensor::zeros({3, 2}));
  const Tensor ids = ids_of({2}, {0, 1});
  expect_bad_argument({"gather", "table"}, [&] { gather(Var(), ids); });
  expect_bad_shape({"gather", "table", "f16"}, [&] { gather(Var(Tensor::zeros({3, 2}, DType::f16)), ids); });
  expect_bad_shape({"gather", "table", "[6]", "[rows, columns]"},
                   [&] { gather(Var(Tensor::zeros({6})), ids); });
  expect_bad_argument({"gather", "ids"}, [&] { gather(table, {}); });
  expect_bad_shape({"gather", "ids", "i64", "i32"}, [&] { gather(table, Tensor::zeros({2}, DType::i64)); });
  expect_bad_token({"gather", "ids[2]", "3", "0", "2"}, [&] { gather(table, ids_of({3}, {0, 2, 3})); });
  expect_bad_token({"gather", "ids[1]", "-1", "0", "2"}, [&] { gather(table, ids_of({2}, {0, -1})); });
  expect_bad_token({"gather", "ids[0]", "-2147483648", "0", "2"},
                   [&] { gather(table, ids_of({1}, {INT32_MIN})); });
  expect_bad_token({"gather", "ids[0]", "0"}, [&] { gather(Var(Tensor::zeros({0, 2})), ids); });
  expect_bad_shape({"gather", "ids", "[2, 1]"}, [&] {
    gather(table, Tensor::zeros({2, 2}, DType::i32).columns(0, 1));
  });
  expect_bad_shape({"gather", "ids", "[1, 1, 1, 1, 1, 1]", "5"}, [&] {
    gather(table, Tensor::zeros({1, 1, 1, 1, 1, 1}, DType::i32));
  });
  expect_bad_argument({"gather", "[1099511627776, 0, 1099511627776]", "63"}, [&] {
    constexpr int64_t kHuge = int64_t{1} << 40;
    gather(Var(Tensor::zeros({0, kHuge})), Tensor::zeros({kHuge, 0}, DType::i32));
  });
}

}  // namespace
}  // namespace locus::op
