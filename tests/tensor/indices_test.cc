#include "locus/tensor/indices.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus::testing {
namespace {

TEST(Indices, KnowTheirValuesAndRange) {
  const Indices indices = Indices::of({3, 1, 4, 1, 5});
  EXPECT_TRUE(indices);
  EXPECT_EQ(indices.shape(), Shape{5});
  EXPECT_EQ(std::vector<int32_t>(indices.values().begin(), indices.values().end()),
            (std::vector<int32_t>{3, 1, 4, 1, 5}));
  EXPECT_EQ(indices.range().least, 1);
  EXPECT_EQ(indices.range().most, 5);
}

TEST(Indices, OfNoValuesHaveAnEmptyRange) {
  EXPECT_FALSE(Indices());
  EXPECT_FALSE(Indices(Tensor()));
  const Indices none = Indices::of({});
  EXPECT_TRUE(none);
  EXPECT_EQ(none.numel(), 0);
  EXPECT_GT(none.range().least, none.range().most);
}

// A kernel sees the same numbers, as rows of the shape or as one row, with its own device.
TEST(Indices, GiveKernelsAView) {
  const Indices indices = Tensor::of({2, 3}, {0, 1, 2, 3, 4, 5});
  const ConstView view = indices.view(Device::reference), flat = indices.flat().view(Device::cpu);
  EXPECT_EQ(view.device, Device::reference);
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.row<int32_t>(1)[2], 5);
  EXPECT_EQ(flat.device, Device::cpu);
  EXPECT_EQ(flat.numel(), 6);
  EXPECT_EQ(flat.as<int32_t>()[5], 5);
  EXPECT_TRUE(indices.flat().same_as(indices));
  EXPECT_FALSE(indices.same_as(Indices::of({0, 1, 2, 3, 4, 5})));
}

TEST(Indices, ReadOnlyI32AsValues) {
  const Indices floats = Tensor::of({2}, {1.0f, 2.0f});
  EXPECT_EQ(floats.dtype(), DType::f32);
  expect_error(Fault::bug, {"f32", "i32"}, [&] { (void)floats.values(); });
}

}  // namespace
}  // namespace locus::testing
