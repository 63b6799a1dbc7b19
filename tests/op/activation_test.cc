#include "locus/op/activation.h"

#include "tests/activations.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"
#include "tests/op/shapes.h"

namespace locus::op {
namespace {

using testing::check_op;
using testing::kShapes;
using Vars = std::span<const Var>;

TEST(OpActivate, EveryActivationInEveryShape) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    const auto f = [=](Vars in) { return activate(in[0], activation); };
    for (const Shape& shape : kShapes) check_op(f, {{shape, 2}});
    check_op(f, {{{2, 3, 5}, 2, true}});
  }
}

TEST(OpActivate, GatedProducts) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    const auto f = [=](Vars in) { return gated(in[0], in[1], activation); };
    for (const Shape& shape : kShapes) check_op(f, {{shape, 2}, {shape}});
    check_op(f, {{{3, 5}, 1, true}, {{3, 5}}});
    check_op(f, {{{3, 5}}, {{3, 5}, 1, true}});
    check_op([=](Vars in) { return gated(in[0], in[0], activation); }, {{{3, 5}}});
  }
}

TEST(OpActivate, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), none, whole(Tensor::zeros({2, 3}, DType::i64));
  expect_bad_argument({"activate", "x"}, [&] { activate(none, Activation::gelu); });
  expect_bad_shape({"activate", "x", "i64", "cpu", "f32"}, [&] { activate(whole, Activation::gelu); });
  expect_bad_argument({"gated", "gate"}, [&] { gated(none, x, Activation::silu); });
  expect_bad_argument({"gated", "up"}, [&] { gated(x, none, Activation::silu); });
  expect_bad_shape({"gated", "up", "[6]", "[2, 3]"},
                   [&] { gated(x, Var(Tensor::zeros({6})), Activation::silu); });
  expect_bad_shape({"gated", "up", "i64"}, [&] { gated(x, whole, Activation::silu); });
  expect_bad_shape({"gated", "up", "f32", "reference", "gate", "cpu"},
                   [&] { gated(x, Var(x.value().on(Device::reference)), Activation::silu); });
}

}  // namespace
}  // namespace locus::op
