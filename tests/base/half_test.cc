#include "locus/base/half.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "locus/base/dtype.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Decodes a format with `exponent` exponent bits and `fraction` fraction bits, following IEEE 754.
double decode(uint32_t bits, int exponent, int fraction) {
  const int bias = (1 << (exponent - 1)) - 1;
  const double sign = (bits >> (exponent + fraction)) & 1u ? -1.0 : 1.0;
  const int field = static_cast<int>(bits >> fraction) & ((1 << exponent) - 1);
  const double part = std::ldexp(static_cast<double>(bits & ((1u << fraction) - 1)), -fraction);
  if (field == (1 << exponent) - 1) return part == 0 ? sign * HUGE_VAL : std::nan("");
  return field == 0 ? sign * std::ldexp(part, 1 - bias) : sign * std::ldexp(1 + part, field - bias);
}

// The nearest value of that format, ties to even, computed in double. Every step but the rounding is exact
// (nearbyint rounds ties to even).
double round_to_format(double x, int exponent, int fraction) {
  const int bias = (1 << (exponent - 1)) - 1;
  if (x == 0 || !std::isfinite(x)) return x;
  const int grid = std::max(std::ilogb(x), 1 - bias) - fraction;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -grid)), grid);
  return std::abs(rounded) >= std::ldexp(1.0, bias + 1) ? std::copysign(HUGE_VAL, x) : rounded;
}

TEST(Half, EveryBf16Pattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = to_f32(Bf16{static_cast<uint16_t>(bits)});
    const double expected = decode(bits, 8, 7);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(to_f32(to_bf16(value)))) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(to_bf16(value).bits, bits);
    }
  }
}

TEST(Half, EveryF16Pattern) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = to_f32(F16{static_cast<uint16_t>(bits)});
    const double expected = decode(bits, 5, 10);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(to_f32(to_f16(value)))) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(to_f16(value).bits, bits);
    }
  }
}

// Between every two neighbors: the midpoint rounds to the even one, the next float on either side to the
// nearer one.
TEST(Half, RoundsEveryMiddleToEven) {
  for (uint32_t bits = 0; bits + 1 < 0x7c00; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const float middle = (to_f32(F16{low}) + to_f32(F16{high})) / 2;  // exact: f32 has 13 more bits
    ASSERT_EQ(to_f16(middle).bits, bits % 2 == 0 ? low : high);
    ASSERT_EQ(to_f16(std::nextafter(middle, 0.0f)).bits, low);
    ASSERT_EQ(to_f16(std::nextafter(middle, kInfinity)).bits, high);
  }
  for (uint32_t bits = 0; bits + 1 < 0x7f80; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const float middle = std::bit_cast<float>((bits << 16) | 0x8000u);
    ASSERT_EQ(to_bf16(middle).bits, bits % 2 == 0 ? low : high);
    ASSERT_EQ(to_bf16(std::nextafter(middle, 0.0f)).bits, low);
    ASSERT_EQ(to_bf16(std::nextafter(middle, kInfinity)).bits, high);
  }
}

TEST(Half, EdgesOfTheRange) {
  EXPECT_EQ(to_f16(65519.99f).bits, 0x7bff);  // rounds to the largest, 65504
  EXPECT_EQ(to_f16(65520.0f).bits, 0x7c00);   // halfway to 65536: infinity
  EXPECT_EQ(to_f16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(to_f16(-0.0f).bits, 0x8000);
  EXPECT_EQ(to_f16(0x1p-25f).bits, 0);  // half of the smallest: ties to even, zero
  EXPECT_EQ(to_f16(0x1.8p-25f).bits, 1);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(to_bf16(kInfinity).bits, 0x7f80);
  EXPECT_EQ(to_bf16(-0.0f).bits, 0x8000);
  // A NaN whose upper half is that of infinity stays a NaN.
  EXPECT_TRUE(std::isnan(to_f32(to_bf16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(to_f32(to_f16(std::bit_cast<float>(0xff800001u)))));
}

RC_GTEST_PROP(Half, AnyFloatRoundsAsInDouble, (uint32_t bits)) {
  const float x = std::bit_cast<float>(bits);
  RC_PRE(!std::isnan(x));
  RC_ASSERT(to_f32(to_bf16(x)) == round_to_format(x, 8, 7));
  RC_ASSERT(to_f32(to_f16(x)) == round_to_format(x, 5, 10));
  RC_ASSERT(std::signbit(to_f32(to_f16(x))) == std::signbit(x));
}

TEST(DType, SizesAndNames) {
  EXPECT_EQ(size_of(DType::bf16), 2);
  EXPECT_EQ(size_of(DType::f16), 2);
  EXPECT_EQ(size_of(DType::f32), 4);
  EXPECT_EQ(size_of(DType::i32), 4);
  EXPECT_EQ(size_of(DType::i64), 8);
  EXPECT_EQ(size_of(DType::f64), 8);
  EXPECT_EQ(name_of(DType::bf16), "bf16");
  EXPECT_EQ(name_of(DType::f64), "f64");
  EXPECT_TRUE(is_float(DType::f16));
  EXPECT_FALSE(is_float(DType::i64));
}

TEST(DType, VisitsTheTypeBehindAFormat) {
  const auto width = []<class T>(T) { return static_cast<int64_t>(sizeof(T)); };
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    EXPECT_EQ(visit_float(dtype, width), size_of(dtype));
  }
  expect_error(Fault::bug, {"i32"}, [&] { visit_float(DType::i32, width); });
}

}  // namespace
}  // namespace locus
