#include "locus/tensor/tensor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/expect_error.h"

namespace locus {
namespace {

using Floats = std::vector<float>;

// 0, 1, 2, ... in the given shape.
Tensor counting(Shape shape) {
  Tensor tensor = Tensor::empty(shape);
  std::iota(tensor.data<float>().begin(), tensor.data<float>().end(), 0.0f);
  return tensor;
}

TEST(Tensor, IsMadeFilled) {
  EXPECT_EQ(Tensor::zeros({2, 2}).values(), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(Tensor::full({3}, 2.5f, DType::bf16).values(), (Floats{2.5f, 2.5f, 2.5f}));
  EXPECT_EQ(Tensor::full({2}, 7, DType::i64).values(), (Floats{7, 7}));
  EXPECT_EQ(Tensor::of({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}).values(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(Tensor::of({2}, {int32_t{5}, int32_t{-6}}).dtype(), DType::i32);
  EXPECT_EQ(Tensor::scalar(4).item(), 4.0f);
  EXPECT_EQ(Tensor::zeros({2}, DType::f64, Device::reference).device(), Device::reference);
}

TEST(Tensor, ZeroIsNotMinusZero) {
  for (const double zero : {0.0, -0.0}) {
    EXPECT_EQ(std::signbit(Tensor::full({2, 2}, zero).values()[3]), std::signbit(zero));
    Tensor part = Tensor::full({2, 3}, 7).columns(1, 3);
    part.fill(zero);
    EXPECT_EQ(part.values(), Floats(4, 0));
    EXPECT_EQ(std::signbit(part.values()[3]), std::signbit(zero));
  }
}

TEST(Tensor, MayBeAbsentOrEmpty) {
  const Tensor absent;
  EXPECT_FALSE(absent);
  EXPECT_FALSE(absent.view());
  EXPECT_EQ(absent.numel(), 0);
  EXPECT_TRUE(absent.values().empty());
  const Tensor empty = Tensor::zeros({3, 0});
  EXPECT_TRUE(empty);
  EXPECT_TRUE(empty.view()) << "an empty tensor has an address: only an absent one has none";
  EXPECT_TRUE(empty.clone().values().empty());
  EXPECT_EQ(empty.reshape({0, 7}).shape(), (Shape{0, 7}));
  EXPECT_EQ(Tensor::zeros({0, 4}).rows(0, 0).shape(), (Shape{0, 4}));
}

TEST(Tensor, CopiesShareMemoryAndClonesDoNot) {
  const Tensor tensor = counting({2, 3});
  Tensor same = tensor;
  const Tensor clone = tensor.clone();
  same.fill(9);
  EXPECT_TRUE(tensor.shares_memory_with(same));
  EXPECT_FALSE(tensor.shares_memory_with(clone));
  EXPECT_EQ(tensor.values(), Floats(6, 9));
  EXPECT_EQ(clone.values(), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST(Tensor, RowsAreAViewOfTheFirstAxis) {
  const Tensor tensor = counting({3, 2, 2});
  Tensor middle = tensor.rows(1, 2);
  EXPECT_EQ(middle.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(middle.values(), (Floats{4, 5, 6, 7}));
  EXPECT_TRUE(middle.contiguous());
  middle.fill(-1);
  EXPECT_EQ(tensor.values(), (Floats{0, 1, 2, 3, -1, -1, -1, -1, 8, 9, 10, 11}));
  EXPECT_EQ(tensor.rows(1, 3).rows(1, 2).values(), (Floats{8, 9, 10, 11})) << "a view of a view";
}

TEST(Tensor, ColumnsAreAViewOfTheLastAxis) {
  const Tensor tensor = counting({2, 2, 3});
  Tensor part = tensor.columns(1, 3);
  EXPECT_EQ(part.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(part.values(), (Floats{1, 2, 4, 5, 7, 8, 10, 11}));
  EXPECT_FALSE(part.contiguous());
  EXPECT_EQ(part.rows(1, 2).columns(1, 2).values(), (Floats{8, 11}));
  EXPECT_TRUE(part.clone().contiguous());
  EXPECT_EQ(part.clone().values(), part.values());
  part.fill(0);
  EXPECT_EQ(tensor.values(), (Floats{0, 0, 0, 3, 0, 0, 6, 0, 0, 9, 0, 0}));
  EXPECT_EQ(counting({1, 4}).columns(1, 3).reshape({2}).values(), (Floats{1, 2})) << "a single row is a run";
}

TEST(Tensor, CopiesBetweenViews) {
  Tensor wide = Tensor::zeros({2, 4});
  wide.columns(1, 3).copy_from(counting({2, 2}));
  EXPECT_EQ(wide.values(), (Floats{0, 0, 1, 0, 0, 2, 3, 0}));
}

TEST(Tensor, MovesBetweenDevices) {
  const Tensor tensor = counting({2});
  const Tensor reference = tensor.on(Device::reference);
  EXPECT_EQ(reference.device(), Device::reference);
  EXPECT_FALSE(reference.shares_memory_with(tensor));
  EXPECT_EQ(reference.values(), tensor.values());
  EXPECT_TRUE(tensor.on(Device::cpu).shares_memory_with(tensor));
  EXPECT_EQ(reference.like({5}).device(), Device::reference);
}

TEST(Tensor, EveryErrorSaysWhatWasWrong) {
  const Tensor tensor = counting({2, 3});
  const auto bad_shape = [](std::initializer_list<const char*> values, auto call) {
    expect_error(Fault::data, Code::bad_shape, values, call);
  };
  bad_shape({"[2, 2]", "3", "4"}, [] { Tensor::of({2, 2}, {1.0f, 2.0f, 3.0f}); });
  bad_shape({"[2, 3]", "rows 1 to 3"}, [&] { (void)tensor.rows(1, 3); });
  bad_shape({"[2, 3]", "rows 2 to 1"}, [&] { (void)tensor.rows(2, 1); });
  bad_shape({"[2, 3]", "rows -1 to 1"}, [&] { (void)tensor.rows(-1, 1); });
  bad_shape({"[3]", "rows 0 to 1"}, [] { (void)counting({3}).rows(0, 1); });
  bad_shape({"[2, 3]", "columns 0 to 4"}, [&] { (void)tensor.columns(0, 4); });
  bad_shape({"[]", "columns 0 to 0"}, [] { (void)Tensor::scalar(1).columns(0, 0); });
  bad_shape({"reshape", "[2, 3]", "6", "[4]", "4"}, [&] { (void)tensor.reshape({4}); });
  bad_shape({"reshape", "[2, 2]", "contiguous", "clone()"}, [&] { (void)tensor.columns(0, 2).reshape({4}); });
  bad_shape({"[2, 2]", "contiguous", "clone()"}, [&] { (void)tensor.columns(0, 2).data<float>(); });
  bad_shape({"item", "[2, 3]"}, [&] { (void)tensor.item(); });
  bad_shape({"item", "[0]"}, [] { (void)Tensor().item(); });
  bad_shape({"copy_from", "f32 [2, 3]", "f32 [3, 2]"}, [&] { Tensor::zeros({3, 2}).copy_from(tensor); });
  bad_shape({"copy_from", "f32 [2, 3]", "bf16 [2, 3]"}, [&] {
    Tensor::zeros({2, 3}, DType::bf16).copy_from(tensor);
  });
  expect_error(Fault::data, {"tensor bytes", "63"}, [] { Tensor::empty({int64_t{1} << 62}); });
  expect_error(Fault::bug, {"f32", "i32"}, [&] { (void)tensor.data<int32_t>(); });
}

// A view of any part has the same numbers as its elements read one by one.
RC_GTEST_PROP(Tensor, AnyPartIsTheElementsItNames, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(0, 9), cols = *rc::gen::inRange<int64_t>(0, 9);
  const auto r0 = *rc::gen::inRange<int64_t>(0, rows + 1), r1 = *rc::gen::inRange<int64_t>(r0, rows + 1);
  const auto c0 = *rc::gen::inRange<int64_t>(0, cols + 1), c1 = *rc::gen::inRange<int64_t>(c0, cols + 1);
  const Tensor part = counting({rows, cols}).rows(r0, r1).columns(c0, c1);
  Floats expected;
  for (int64_t r = r0; r < r1; ++r) {
    for (int64_t c = c0; c < c1; ++c) expected.push_back(static_cast<float>(r * cols + c));
  }
  RC_ASSERT(part.values() == expected);
  RC_ASSERT(part.clone().values() == expected);
}

TEST(Tensor, BytesAndBooleans) {
  const Tensor bytes = Tensor::full({2}, 200, DType::u8);
  EXPECT_EQ(bytes.values(), (std::vector<float>{200, 200}));
  const Tensor truth = Tensor::full({2}, 0.5f, DType::boolean);
  EXPECT_EQ(truth.data<Boolean>()[0].bits, 1);
  truth.data<Boolean>()[0].bits = 7;  // any byte other than 0 is true
  truth.data<Boolean>()[1].bits = 0;
  EXPECT_EQ(truth.values(), (std::vector<float>{1, 0}));
  EXPECT_FALSE(is_float(DType::u8) || is_float(DType::boolean));
}

}  // namespace
}  // namespace locus
