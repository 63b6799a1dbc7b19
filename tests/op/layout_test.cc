#include "locus/op/layout.h"

#include "locus/op/elementwise.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using Vars = std::span<const Var>;
using Floats = std::vector<float>;

constexpr int64_t kPastMemory = int64_t{1} << 62;

TEST(OpLayout, Reshape) {
  const auto to = [](Shape shape) { return [=](Vars in) { return reshape(in[0], shape); }; };
  check_op(to({6}), {{{2, 3}}});
  check_op(to({3, 1, 2}), {{{2, 3}, 1, true}});
  check_op(to({}), {{{1, 1}}});
  check_op(to({1}), {{{}}});
  check_op(to({0, 7}), {{{3, 0}}});
}

TEST(OpLayout, ReshapeOfAViewKeepsTheOrder) {
  const Var x(Tensor::of({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}));
  EXPECT_EQ(reshape(split(x, {2, 1})[0], {4}).value().values(), (Floats{1, 2, 4, 5}));
}

TEST(OpLayout, Split) {
  const auto into = [](std::vector<int64_t> widths) { return [=](Vars in) { return split(in[0], widths); }; };
  check_op(into({1, 2}), {{{2, 3}}});
  check_op(into({3}), {{{2, 3}}});
  check_op(into({0, 3, 0}), {{{2, 3}}});
  check_op(into({4, 1, 4}), {{{2, 3, 9}, 1, true}});
  check_op(into({1, 1}), {{{2}}});
  check_op(into({2, 2}), {{{0, 4}}});
}

TEST(OpLayout, SplitCopiesNothing) {
  const Var x(Tensor::zeros({2, 3}));
  for (const Var& part : split(x, {1, 2})) EXPECT_TRUE(part.value().shares_memory_with(x.value()));
}

TEST(OpLayout, SplitLeavesUnusedPartsWithoutGradient) {
  const Var x = Var::parameter(Tensor::zeros({2, 3}));
  split(x, {1, 1, 1})[1].backward(Tensor::full({2, 1}, 5));
  EXPECT_EQ(x.grad().values(), (Floats{0, 5, 0, 0, 5, 0}));
}

TEST(OpLayout, Rows) {
  const auto f = [](int64_t begin, int64_t end) { return [=](Vars in) { return rows(in[0], begin, end); }; };
  check_op(f(1, 3), {{{4, 3}}});
  check_op(f(0, 0), {{{2, 3}}});
  check_op(f(0, 2), {{{2, 2, 3}}});
  expect_bad_shape({"rows", "2", "5", "x", "[4, 3]"}, [&] { rows(Var(Tensor::zeros({4, 3})), 2, 5); });
}

TEST(OpLayout, RowsThatOverlapAddTheirGradients) {
  const Var x = Var::parameter(Tensor::zeros({3, 1}));
  sum(join({rows(x, 0, 2), rows(x, 1, 3)})).backward();
  EXPECT_EQ(x.grad().values(), (Floats{1, 2, 1}));
}

TEST(OpLayout, Join) {
  const auto f = [](Vars in) { return join({in.begin(), in.end()}); };
  check_op(f, {{{2, 3}}});
  check_op(f, {{{2, 3}}, {{2, 1}}, {{2, 4}, 1, true}});
  check_op(f, {{{2, 2, 3}}, {{2, 2, 0}}});
  check_op(f, {{{3}}, {{2}}});
  check_op(f, {{{0, 3}}, {{0, 2}}});
  check_op([](Vars in) { return join({in[0], in[0]}); }, {{{2, 3}}});
}

TEST(OpLayout, JoinUndoesSplit) {
  check_op([](Vars in) { return join(split(in[0], {2, 3, 1})); }, {{{3, 6}}});
}

TEST(OpLayout, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), none, number(Tensor::scalar(1));
  expect_bad_argument({"reshape", "x"}, [&] { reshape(none, {6}); });
  expect_bad_shape({"reshape", "x", "[2, 3]", "6", "[5]", "5"}, [&] { reshape(x, {5}); });
  expect_bad_shape({"reshape", "x", "i32"}, [&] { reshape(Var(Tensor::zeros({6}, DType::i32)), {2, 3}); });
  expect_bad_argument({"split", "x"}, [&] { split(none, {1}); });
  expect_bad_shape({"split", "x", "[]", "1"}, [&] { split(number, {1}); });
  expect_bad_shape({"split", "width", "-1", "0"}, [&] { split(x, {4, -1}); });
  expect_bad_shape({"split", "widths", "4", "3"}, [&] { split(x, {2, 2}); });
  expect_bad_shape({"split", "widths", "0", "3"}, [&] { split(x, {}); });
  expect_bad_argument({"split", "widths", "63"}, [&] { split(x, {kPastMemory, kPastMemory}); });
  expect_bad_argument({"join", "parts"}, [] { join({}); });
  expect_bad_argument({"join", "part"}, [&] { join({x, none}); });
  expect_bad_shape({"join", "part", "[]", "1"}, [&] { join({number}); });
  expect_bad_shape({"join", "parts", "[2, 3]", "[3, 3]"}, [&] { join({x, Var(Tensor::zeros({3, 3}))}); });
  expect_bad_shape({"join", "parts", "[2, 3]", "[6]"}, [&] { join({x, Var(Tensor::zeros({6}))}); });
  expect_bad_shape({"join", "part", "f32", "reference", "cpu"}, [&] {
    join({x, Var(x.value().on(Device::reference))});
  });
  const Var wide(Tensor::zeros({0, kPastMemory}));
  expect_bad_argument({"join", "63"}, [&] { join({wide, wide}); });
  const Var tall(Tensor::zeros({kPastMemory, 0}));
  EXPECT_EQ(join({tall, tall}).shape(), (Shape{kPastMemory, 0}));
}

}  // namespace
}  // namespace locus::op
