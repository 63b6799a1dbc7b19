#include "locus/op/convert.h"

#include <gtest/gtest.h>

#include "tests/op/bad_call.h"

namespace locus::op {
namespace {

using Floats = std::vector<float>;

TEST(OpConvert, ThroughEveryFloatingFormat) {
  const Floats values = {0, -1, 1.5f, 1 + 0x1p-9f, 65504};
  const Tensor x = Tensor::of({5}, std::span<const float>(values));
  for (const Device device : {Device::cpu, Device::reference}) {
    const Tensor here = x.on(device);
    EXPECT_EQ(convert(here, DType::bf16).values(), (Floats{0, -1, 1.5f, 1, 65536}));
    EXPECT_EQ(convert(here, DType::f16).values(), (Floats{0, -1, 1.5f, 1 + 0x1p-9f, 65504}));
    for (const DType wide : {DType::f16, DType::f64}) {
      const Tensor there = convert(here, wide);
      EXPECT_EQ(there.dtype(), wide);
      EXPECT_EQ(there.device(), device);
      EXPECT_EQ(convert(there, DType::f32).values(), values);
    }
  }
}

TEST(OpConvert, ToItsOwnFormatCopiesNothing) {
  const Tensor x = Tensor::zeros({2});
  EXPECT_TRUE(convert(x, DType::f32).shares_memory_with(x));
}

TEST(OpConvert, ViewsAndEmptyOnes) {
  const Tensor x = Tensor::of({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  EXPECT_EQ(convert(x.columns(1, 3), DType::bf16).values(), (Floats{2, 3, 5, 6}));
  EXPECT_EQ(convert(Tensor::zeros({0, 3}), DType::f16).shape(), (Shape{0, 3}));
}

TEST(OpConvert, EveryErrorNamesTheOpAndTheArgument) {
  expect_bad_argument({"convert", "x"}, [] { convert({}, DType::f32); });
  expect_bad_shape({"convert", "i32", "f32"}, [] { convert(Tensor::zeros({2}, DType::i32), DType::f32); });
  expect_bad_shape({"convert", "f32", "u8"}, [] { convert(Tensor::zeros({2}), DType::u8); });
}

}  // namespace
}  // namespace locus::op
