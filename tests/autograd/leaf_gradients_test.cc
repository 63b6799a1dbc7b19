#include "locus/autograd/leaf_gradients.h"

#include <gtest/gtest.h>

#include "locus/autograd/recompute.h"
#include "locus/op/elementwise.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

using Floats = std::vector<float>;

Var number(float value) { return Var::parameter(Tensor::full({1}, value)); }

struct Reported {
  size_t leaf;
  Floats gradient;  // at the time of the report
  friend bool operator==(const Reported&, const Reported&) = default;
};

std::vector<Reported> backward_of(const Var& value, const std::vector<Var>& leaves) {
  std::vector<Reported> reports;
  backward(value, Tensor::full({1}, 1), leaves, [&](size_t i) {
    const Tensor gradient = leaves[i].grad();
    reports.push_back({i, gradient ? gradient.values() : Floats()});
  });
  return reports;
}

// The values of a chain get their gradients from the end to the beginning.
TEST(LeafGradients, AreReportedWhenTheyAreComplete) {
  const Var a = number(2), b = number(3), c = number(5);
  const Var value = op::multiply(op::multiply(a, b), c);
  EXPECT_EQ(backward_of(value, {a, b, c}), (std::vector<Reported>{{2, {6}}, {0, {15}}, {1, {10}}}));
}

// The first use of `tied` is the last step of the pass, as that of a token table which the head uses, too.
TEST(LeafGradients, WaitForEveryUse) {
  const Var tied = number(2), b = number(3);
  const Var value = op::multiply(op::multiply(op::scale(tied, 10), b), tied);
  EXPECT_EQ(backward_of(value, {tied, b}), (std::vector<Reported>{{1, {40}}, {0, {120}}}));
  const Var square = op::multiply(b, b);
  EXPECT_EQ(backward_of(square, {b}), (std::vector<Reported>{{0, {46}}})) << "40, and 2 * 3";
}

TEST(LeafGradients, OfUnusedLeavesAreReportedFirst) {
  const Var a = number(2), unused = number(3), dropped = number(4);
  const Var other = op::multiply(a, dropped);  // a step that the value does not depend on
  EXPECT_EQ(backward_of(op::scale(a, 2), {a, unused}), (std::vector<Reported>{{1, {}}, {0, {2}}}));
  EXPECT_EQ(backward_of(op::scale(a, 2), {a, dropped}), (std::vector<Reported>{{1, {}}, {0, {4}}}));
}

TEST(LeafGradients, OfALeafItself) {
  const Var a = number(2);
  EXPECT_EQ(backward_of(a, {a}), (std::vector<Reported>{{0, {1}}}));
}

TEST(LeafGradients, OfFrozenLeavesAreReportedWithoutAGradient) {
  Var a = number(2), frozen = number(3);
  frozen.set_wants_grad(false);
  EXPECT_EQ(backward_of(op::multiply(a, frozen), {frozen, a}).size(), 2u);
  EXPECT_FALSE(frozen.grad());
}

// `shared` is no input of the recomputed parts, in which every layer uses it, as layers use one table of a
// scheme.
TEST(LeafGradients, WaitForUsesInRecomputedParts) {
  const Var shared = number(2), x = number(3);
  const auto layer = [&](std::span<const Var> in) { return op::multiply(in[0], shared); };
  const auto nested = [&](std::span<const Var> in) { return recompute(layer, {in[0]}); };
  const Var once = recompute(layer, {x}), twice = recompute(nested, {once});
  const Var value = op::multiply(twice, shared);
  EXPECT_EQ(backward_of(value, {shared, x}).size(), 2u);
  EXPECT_EQ(shared.grad().values(), (Floats{36})) << "3 * 3 * 2^2";
  const Var again = number(2), y = number(3);
  const auto other = [&](std::span<const Var> in) { return op::multiply(in[0], again); };
  const std::vector<Reported> reports = backward_of(
      op::multiply(recompute([&](auto in) { return recompute(other, {in[0]}); }, {recompute(other, {y})}),
                   again),
      {again, y});
  for (const Reported& report : reports) {
    EXPECT_EQ(report.gradient, (report.leaf == 0 ? Floats{36} : Floats{8}));
  }
}

// A value that was computed before the recomputed part, and leads to a leaf.
TEST(LeafGradients, WaitForValuesThatRecomputedPartsCapture) {
  const Var p = number(3), x = number(2);
  const Var table = op::multiply(p, p);
  const Var part = recompute([=](std::span<const Var> in) { return op::multiply(in[0], table); }, {x});
  EXPECT_EQ(backward_of(op::multiply(part, p), {p}), (std::vector<Reported>{{0, {54}}})) << "2 * 3 * 3^2";
}

TEST(LeafGradients, NeedDifferentLeaves) {
  const Var a = number(2);
  expect_error(Fault::data, {}, [&] { backward_of(op::scale(a, 2), {a, a}); });
}

}  // namespace
}  // namespace locus
