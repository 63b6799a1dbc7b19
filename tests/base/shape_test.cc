#include "locus/base/shape.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/expect_error.h"

namespace locus {
namespace {

__extension__ typedef __int128 Wide;

TEST(Shape, CountsElementsAndRows) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.numel(), 24);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.cols(), 4);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.text(), "[2, 3, 4]");
}

TEST(Shape, OfASingleNumber) {
  const Shape shape;
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_EQ(shape.numel(), 1);
  EXPECT_EQ(shape.rows(), 1);
  EXPECT_EQ(shape.cols(), 1);
  EXPECT_EQ(shape.text(), "[]");
}

TEST(Shape, MayBeEmpty) {
  EXPECT_EQ((Shape{0}.numel()), 0);
  EXPECT_EQ((Shape{0, 5}.rows()), 0);
  EXPECT_EQ((Shape{5, 0}.rows()), 5);
  EXPECT_EQ((Shape{5, 0}.numel()), 0);
}

TEST(Shape, ComparesRankAndSizes) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{1}), Shape());
}

TEST(Shape, ReplacesTheLastSize) {
  EXPECT_EQ((Shape{2, 3}.with_last(7)), (Shape{2, 7}));
  expect_error(Fault::data, Code::bad_shape, {"[]", "7"}, [] { (void)Shape().with_last(7); });
}

TEST(Shape, RefusesWhatCannotBe) {
  expect_error(Fault::data, Code::bad_shape, {"[2, -1]", "-1", "0"}, [] { Shape{2, -1}; });
  expect_error(Fault::data, Code::bad_shape, {"rank 7", "6"}, [] { Shape{1, 1, 1, 1, 1, 1, 1}; });
  expect_error(Fault::data, Code::bad_shape, {"[2, 3]", "axis 2"}, [] { (void)Shape{2, 3}[2]; });
  expect_error(Fault::data, Code::bad_shape, {"[2, 3]", "axis -3"}, [] { (void)Shape{2, 3}[-3]; });
}

TEST(Shape, RefusesAProductThatOverflows) {
  constexpr int64_t kBig = int64_t{1} << 62;
  expect_error(Fault::data, {"shape", "63", "4611686018427387904", "2"}, [] { Shape{kBig, 2}; });
  // 2^32 * 2^32 wraps to 0 and would look like an empty tensor.
  expect_error(Fault::data, {"shape", "63"}, [] { Shape{int64_t{1} << 32, int64_t{1} << 32}; });
  // A size of zero hides no overflow: rows() and cols() are trusted too.
  expect_error(Fault::data, {"shape", "63"}, [] { Shape{0, kBig, 4}; });
  EXPECT_EQ((Shape{kBig}.numel()), kBig);
}

// Any sizes are either refused, or their product is the exact one.
RC_GTEST_PROP(Shape, IsExactOrRefused, (const std::vector<int64_t>& given)) {
  std::vector<int64_t> sizes = given;
  if (sizes.size() > 6) sizes.resize(6);
  Wide product = 1;
  bool valid = true;
  for (const int64_t size : sizes) {
    valid = valid && size >= 0;
    if (valid && size > 0) product *= size;
    valid = valid && product <= INT64_MAX;
  }
  if (!valid) {
    RC_ASSERT_THROWS_AS(Shape(std::span<const int64_t>(sizes)), Error);
    return;
  }
  const Shape shape{std::span<const int64_t>(sizes)};
  const bool has_zero = std::ranges::count(sizes, 0) > 0;
  RC_ASSERT(shape.numel() == (has_zero ? 0 : static_cast<int64_t>(product)));
  RC_ASSERT(shape.rows() * shape.cols() == shape.numel());
}

}  // namespace
}  // namespace locus
