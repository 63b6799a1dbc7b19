#include "locus/op/activation.h"

#include "tests/activations.h"
#include "tests/expect_error.h"
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
  const auto data = [](std::initializer_list<const char*> parts, auto call) {
    expect_error(Fault::data, parts, call);
  };
  data({"activate: x is missing"}, [&] { activate(none, Activation::gelu); });
  data({"activate: x is i64 on the cpu, expected f32"}, [&] { activate(whole, Activation::gelu); });
  data({"gated: gate is missing"}, [&] { gated(none, x, Activation::silu); });
  data({"gated: up is missing"}, [&] { gated(x, none, Activation::silu); });
  data({"gated: up has shape [6], expected [2, 3] (the shape of gate)"},
       [&] { gated(x, Var(Tensor::zeros({6})), Activation::silu); });
  data({"gated: up is i64"}, [&] { gated(x, whole, Activation::silu); });
  data({"gated: up is f32 on the reference, but gate is f32 on the cpu"},
       [&] { gated(x, Var(x.value().on(Device::reference)), Activation::silu); });
}

}  // namespace
}  // namespace locus::op
