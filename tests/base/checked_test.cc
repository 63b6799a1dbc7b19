#include "locus/base/checked.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/expect_error.h"

namespace locus {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
__extension__ typedef __int128 Wide;

TEST(Checked, RefusesToWrapAround) {
  EXPECT_EQ(checked_multiply(kMost, 1, "x"), kMost);
  EXPECT_EQ(checked_add(kMost - 1, 1, "x"), kMost);
  expect_error(Fault::data, {"rows", "63", "4611686018427387904", "2"},
               [] { checked_multiply(int64_t{1} << 62, 2, "rows"); });
  expect_error(Fault::data, {"bytes", "63", "9223372036854775807", "1"},
               [] { checked_add(kMost, 1, "bytes"); });
}

TEST(Checked, DividesUpWithoutOverflow) {
  EXPECT_EQ(divide_up(0, 8), 0);
  EXPECT_EQ(divide_up(1, 8), 1);
  EXPECT_EQ(divide_up(8, 8), 1);
  EXPECT_EQ(divide_up(9, 8), 2);
  EXPECT_EQ(divide_up(kMost, 2), kMost / 2 + 1);
}

RC_GTEST_PROP(Checked, AgreesWithWiderArithmetic, (int64_t a, int64_t b)) {
  const Wide wide = static_cast<Wide>(a) * b;
  if (wide == static_cast<int64_t>(wide)) {
    RC_ASSERT(checked_multiply(a, b, "x") == static_cast<int64_t>(wide));
  } else {
    RC_ASSERT_THROWS_AS(checked_multiply(a, b, "x"), Error);
  }
}

}  // namespace
}  // namespace locus
