#include "locus/op/matmul.h"

#include "locus/op/convert.h"
#include "locus/op/layout.h"
#include "tests/activations.h"
#include "tests/op/bad_call.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::check_op;
using testing::normal_tensor;
using Vars = std::span<const Var>;

struct Sizes {
  int64_t m, n, k;
};

TEST(OpMatmul, EveryTransposeAndBatch) {
  for (const auto& [m, n, k] :
       {Sizes{1, 1, 1}, {2, 3, 4}, {5, 1, 3}, {1, 13, 2}, {9, 14, 5}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (ta ? "a transposed " : "") << (tb ? "b transposed" : ""));
        const auto f = [=](Vars in) { return matmul(in[0], in[1], ta, tb); };
        const Shape a = ta ? Shape{k, m} : Shape{m, k}, b = tb ? Shape{n, k} : Shape{k, n};
        check_op(f, {{a}, {b}});
        check_op(f, {{{2, a[0], a[1]}, 1, true}, {{2, b[0], b[1]}, 1, true}});
        check_op(f, {{{0, a[0], a[1]}}, {{0, b[0], b[1]}}});
      }
    }
  }
}

TEST(OpMatmul, OfColumnViewsAndIntoThem) {
  const auto f = [](Vars in) {
    const std::vector<Var> parts = split(in[0], {3, 3});
    return split(matmul(parts[0], parts[1], false, true), {1, 4});
  };
  check_op(f, {{{5, 6}}});
}

TEST(OpMatmul, OfAMatrixWithItself) {
  check_op([](Vars in) { return matmul(in[0], in[0], true, false); }, {{{3, 4}}});
}

TEST(OpLinear, WithAndWithoutBiasInEveryShape) {
  const auto plain = [](Vars in) { return linear(in[0], in[1]); };
  const auto biased = [](Vars in) { return linear(in[0], in[1], in[2]); };
  for (const Shape& x : {Shape{3}, {1, 3}, {5, 3}, {2, 3, 3}, {0, 3}}) {
    for (const int64_t out : {1, 2, 13}) {
      check_op(plain, {{x}, {{out, 3}}});
      check_op(biased, {{x}, {{out, 3}}, {{out}}});
      check_op(biased, {{x, 1, true}, {{out, 3}, 1, true}, {{out}, 1, true}});
    }
  }
  check_op(biased, {{{2, 0}}, {{3, 0}}, {{3}}});
  check_op(biased, {{{2, 3}}, {{0, 3}}, {{0}}});
}

// check_op also checks that the fused kernel, used if nothing is recorded, gives the same bits as two steps.
TEST(OpLinear, EveryActivation) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    const auto f = [=](Vars in) { return linear(in[0], in[1], in[2], activation); };
    check_op(f, {{{5, 3}}, {{14, 3}}, {{14}}});
    check_op(f, {{{2, 2, 3}, 1, true}, {{2, 3}}, {{2}}});
    check_op([=](Vars in) { return linear(in[0], in[1], {}, activation); }, {{{4, 3}}, {{5, 3}}});
    check_op(
        [=](Vars in) {
          return split(linear(in[0], in[1], in[2], activation), {2, 3});
        },
        {{{4, 3}}, {{5, 3}}, {{5}}});
  }
}

TEST(OpLinear, FusedHasTheBitsOfTwoStepsAtAnySize) {
  const Tensor x = normal_tensor({67, 65}, Device::cpu, 1), weight = normal_tensor({131, 65}, Device::cpu, 2),
               bias = normal_tensor({131}, Device::cpu, 3);
  for (const Activation activation : kActivations) {
    const Var two_steps = linear(Var::parameter(x), Var(weight), Var(bias), activation);
    const Var fused = linear(Var(x), Var(weight), Var(bias), activation);
    EXPECT_EQ(fused.value().values(), two_steps.value().values()) << name_of(activation);
  }
}

// In all ways a weight is used: packed for many rows, unpacked for few rows, and a range of its rows.
TEST(OpLinear, TakesABf16Weight) {
  for (const Device device : {Device::cpu, Device::reference}) {
    const Tensor f32 = normal_tensor({26, 7}, Device::cpu, 1), b = normal_tensor({13}, device, 2);
    const Var all(convert(f32, DType::bf16).on(device)), weight = rows(all, 13, 26), bias(b);
    const Tensor rounded = convert(weight.value(), DType::f32).on(device);
    for (const int64_t m : {1, 30, 140}) {
      const Tensor x =
          convert(convert(normal_tensor({m, 7}, Device::cpu, 3), DType::bf16), b.dtype()).on(device);
      const Tensor got = linear(Var(x), weight, bias, Activation::gelu).value();
      EXPECT_EQ(got.dtype(), x.dtype());
      const Tensor want = linear(Var(x), Var(convert(rounded, b.dtype())), bias, Activation::gelu).value();
      // x is rounded to bf16 as well, so the products are exact and only seven f32 sums round.
      for (int64_t i = 0; i < got.numel(); ++i) {
        EXPECT_NEAR(got.values()[static_cast<size_t>(i)], want.values()[static_cast<size_t>(i)], 1e-5);
      }
    }
  }
}

TEST(OpMatmul, EveryErrorNamesTheOpAndTheArgument) {
  const Var a(Tensor::zeros({2, 3})), b(Tensor::zeros({3, 4})), none, row(Tensor::zeros({3}));
  const Var batch(Tensor::zeros({2, 3, 4}));
  expect_bad_argument({"matmul", "a"}, [&] { matmul(none, b); });
  expect_bad_argument({"matmul", "b"}, [&] { matmul(a, none); });
  expect_bad_shape({"matmul", "a", "[3]", "2"}, [&] { matmul(row, b); });
  expect_bad_shape({"matmul", "b", "[3]", "2"}, [&] { matmul(a, row); });
  expect_bad_shape({"matmul", "a", "[2, 3, 4]", "b", "[3, 4]", "2", "3"}, [&] { matmul(batch, b); });
  expect_bad_shape({"matmul", "[1, 1, 1, 1]", "2", "3"}, [&] {
    matmul(Var(Tensor::zeros({1, 1, 1, 1})), Var(Tensor::zeros({1, 1, 1, 1})));
  });
  expect_bad_shape({"matmul", "a", "[2, 3, 4]", "b", "[1, 4, 5]"}, [&] {
    matmul(batch, Var(Tensor::zeros({1, 4, 5})));
  });
  expect_bad_shape({"matmul", "a", "[2, 3]", "b", "3", "2"}, [&] { matmul(a, a); });
  expect_bad_shape({"matmul", "a", "[2, 3]", "transposed", "b", "[3, 4]", "2", "4"},
                   [&] { matmul(a, b, true, true); });
  expect_bad_shape({"matmul", "b", "f32", "reference", "a", "cpu"},
                   [&] { matmul(a, Var(b.value().on(Device::reference))); });
  expect_bad_shape({"matmul", "a", "bf16"}, [&] { matmul(Var(Tensor::zeros({2, 3}, DType::bf16)), b); });
  constexpr int64_t kHuge = int64_t{1} << 40;
  expect_bad_argument({"matmul", "[1099511627776, 1099511627776]", "63"}, [] {
    matmul(Var(Tensor::zeros({kHuge, 0})), Var(Tensor::zeros({0, kHuge})));
  });
  expect_error(Fault::resource, {"matmul", "[1099511627776, 1024]", "4503599627370496"}, [] {
    matmul(Var(Tensor::zeros({kHuge, 0})), Var(Tensor::zeros({0, 1024})));
  });
  expect_bad_shape({"matmul", "b", "bf16"}, [&] { matmul(a, Var(Tensor::zeros({3, 4}, DType::bf16))); });
  expect_bad_shape({"matmul", "b", "i32"}, [&] { matmul(a, Var(Tensor::zeros({3, 4}, DType::i32))); });
}

TEST(OpLinear, EveryErrorNamesTheOpAndTheArgument) {
  const Var x(Tensor::zeros({2, 3})), weight(Tensor::zeros({4, 3})), none, long_one(Tensor::zeros({5}));
  const Tensor elsewhere = Tensor::zeros({4}, DType::f32, Device::reference);
  expect_bad_argument({"linear", "x"}, [&] { linear(none, weight); });
  expect_bad_argument({"linear", "weight"}, [&] { linear(x, none); });
  expect_bad_shape({"linear", "x", "[]", "1"}, [&] { linear(Var(Tensor::scalar(1)), weight); });
  expect_bad_shape({"linear", "weight", "[5]", "[out, in]"}, [&] { linear(x, long_one); });
  expect_bad_shape({"linear", "x", "[5]", "3", "[4, 3]"}, [&] { linear(long_one, weight); });
  expect_bad_shape({"linear", "bias", "[5]", "[4]"}, [&] { linear(x, weight, long_one); });
  expect_bad_shape({"linear", "bias", "f32", "reference", "x", "cpu"},
                   [&] { linear(x, weight, Var(elsewhere)); });
  expect_bad_shape({"linear", "weight", "f32", "reference", "x"},
                   [&] { linear(x, Var(weight.value().on(Device::reference))); });
  const Var half(Tensor::zeros({4, 3}, DType::bf16)), leaf = Var::parameter(Tensor::zeros({2, 3}));
  expect_bad_argument({"linear", "weight", "bf16", "f32"}, [&] { linear(leaf, half); });
  expect_bad_shape({"linear", "weight", "bf16", "cpu", "x", "reference"},
                   [&] { linear(Var(x.value().on(Device::reference)), half); });
  constexpr int64_t kHuge = int64_t{1} << 40;
  expect_bad_argument({"linear", "[1099511627776, 1099511627776]", "63"}, [] {
    linear(Var(Tensor::zeros({kHuge, 0})), Var(Tensor::zeros({kHuge, 0})));
  });
}

}  // namespace
}  // namespace locus::op
