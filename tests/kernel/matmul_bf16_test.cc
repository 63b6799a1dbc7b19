// Products with a bf16 right side, compared with the reference, which rounds a to bf16 and accumulates in
// double.
#include <limits>

#include "locus/kernel/cpu/targets.h"
#include "tests/kernel/product_case.h"

namespace locus::testing {
namespace {

// Makes b bf16 and transposed.
ProductCase with_bf16(ProductCase c) {
  c.b_transposed = c.bf16 = true;
  return c;
}

void compare_case(const ProductCase& c) { compare_product(with_bf16(c)); }

// Tiles have 2, 4 or 8 rows and 12 columns, steps have 4 k, and packing takes eight k at a time.
TEST(MatmulBf16, EverySizeAroundATile) {
  for (const int64_t m : {0, 1, 2, 3, 5, 8, 9}) {
    for (const int64_t n : {0, 1, 12, 13, 25}) {
      for (const int64_t k : {0, 1, 4, 7, 13, 16}) compare_case({.m = m, .n = n, .k = k});
    }
  }
}

TEST(MatmulBf16, SizesThatTakeSeveralBlocksAndSlices) {
  compare_case({.m = 130, .n = 100, .k = 33});
  compare_case({.m = 9, .n = 49, .k = 1030});
  compare_case({.m = 3, .n = 700, .k = 97});
  compare_case({.m = 14, .n = 13, .k = 2051});
}

TEST(MatmulBf16, BatchAccumulationBiasAndActivation) {
  compare_case({.m = 7, .n = 13, .k = 5, .batch = 3});
  compare_case({.m = 67, .n = 29, .k = 131, .batch = 2, .accumulate = true});
  compare_case({.m = 3, .n = 5, .k = 1100, .accumulate = true});
  for (const Activation activation : {Activation::none, Activation::gelu, Activation::relu}) {
    for (const bool bias : {false, true}) {
      compare_case({.m = 17, .n = 25, .k = 98, .bias = bias, .activation = activation});
      compare_case({.m = 3, .n = 5, .k = 0, .bias = bias, .activation = activation});
    }
  }
}

// The products of a backward pass: with bf16 activations, b is bf16 in any layout, and packed as f32.
TEST(MatmulBf16, PackedAsF32) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      compare_product({.m = 9,
                       .n = 49,
                       .k = 130,
                       .batch = 2,
                       .a_transposed = a_transposed,
                       .b_transposed = b_transposed,
                       .widened = true});
    }
  }
}

// Strips have 4 rows and 16 columns, and take eight k at a time.
TEST(MatmulBf16, SmallMWithUnpackedMatrix) {
  for (const int64_t m : {0, 1, 2, 3, 4, 7, 8, 13, 128}) {
    for (const int64_t n : {0, 1, 16, 37}) {
      for (const int64_t k : {0, 3, 8, 13, 50}) {
        compare_small_m(with_bf16({.m = m, .n = n, .k = k, .bias = k != 3, .activation = Activation::gelu}));
      }
    }
  }
  compare_small_m(with_bf16({.m = 41, .n = 30, .k = 6203}));
}

// a [m, k] times b [n, k] on the CPU, with b packed or unpacked.
std::vector<float> product_of(std::span<const float> a, const Tensor& b, bool small_m = false,
                              Activation activation = Activation::none) {
  const Kernels& table = kernels(Device::cpu);
  const int64_t n = b.size(0), k = b.size(1), m = static_cast<int64_t>(a.size()) / k;
  const Tensor left = Tensor::of({m, k}, a), c = Tensor::empty({m, n}), bias = Tensor::full({n}, 0.25);
  if (small_m) {
    table.matmul_small_m(
        {.a = left.view(), .b = b.view(), .c = c.view(), .bias = bias.view(), .activation = activation});
    return c.values();
  }
  const Tensor packed = Tensor::empty({1, table.packed_size(k, n, DType::bf16)}, DType::bf16);
  table.pack({.b = b.view(), .packed = packed.view(), .k = k, .n = n, .transposed = true});
  table.matmul({.a = left.view(),
                .packed = packed.view(),
                .c = c.view(),
                .m = m,
                .n = n,
                .k = k,
                .bias = bias.view(),
                .activation = activation});
  return c.values();
}

Tensor bf16_tensor(Shape shape, std::span<const float> values) {
  const Tensor b = Tensor::empty(shape, DType::bf16);
  for (size_t i = 0; i < values.size(); ++i) b.data<Bf16>()[i] = to_bf16(values[i]);
  return b;
}

TEST(MatmulBf16, ARowHasTheSameBitsInAnyBatch) {
  constexpr int64_t kMost = 130, n = 77, k = 1037;
  const std::vector<float> a = random_values(1, kMost * k);
  const Tensor b = bf16_tensor({n, k}, random_values(2, k * n));
  each_target([&] {
    const std::vector<float> all = product_of(a, b, false, Activation::gelu);
    for (const int64_t m : {1, 2, 3, 4, 5, 8, 9, 12, 13, 65}) {
      // Rows from the end, so that a row is at a different place in its tile and block each time.
      const std::span<const float> rows(a.end() - m * k, a.end());
      const std::vector<float> want(all.end() - m * n, all.end());
      EXPECT_EQ(product_of(rows, b, false, Activation::gelu), want) << m << " rows";
      EXPECT_EQ(product_of(rows, b, true, Activation::gelu), want) << m << " rows, unpacked";
    }
  });
}

// Numbers halfway between two bf16 values (2^-7 apart here) round to the even one. Numbers past the largest
// become infinity.
TEST(MatmulBf16, RoundsTheLeftSideToNearestEven) {
  const std::vector<float> a = {1 + 0x1p-8f, 1 + 0x3p-8f, 1 + 0x1.01p-8f, -1 - 0x3p-8f, 3.4e38f};
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> want = {1, 1 + 0x4p-8f, 1 + 0x2p-8f, -1 - 0x4p-8f, infinity};
  const Tensor one = bf16_tensor({1, 1}, std::vector<float>{1});
  each_target([&] {
    for (const bool small_m : {false, true}) {
      const std::vector<float> got = product_of(a, one, small_m);
      for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(got[i], want[i] + 0.25f) << i;  // exact in any order
    }
  });
}

TEST(MatmulBf16, NanAndInfinityStayInTheirRowsAndColumns) {
  constexpr int64_t m = 11, n = 29, k = 17;
  const std::vector<float> a = random_values(1, m * k), b = random_values(2, k * n);
  each_target([&] {
    for (const bool small_m : {false, true}) {
      const std::vector<float> clean = product_of(a, bf16_tensor({n, k}, b), small_m);
      for (int64_t row = 0; row < m; ++row) {
        std::vector<float> bad = a;
        bad[static_cast<size_t>(row * k + 3)] = std::nanf("");
        expect_spoiled(product_of(bad, bf16_tensor({n, k}, b), small_m), clean, n, row, -1);
      }
      for (int64_t column = 0; column < n; ++column) {
        std::vector<float> bad = b;
        bad[static_cast<size_t>(column * k + 7)] = std::numeric_limits<float>::infinity();
        expect_spoiled(product_of(a, bf16_tensor({n, k}, bad), small_m), clean, n, -1, column);
      }
    }
  });
}

// The tests above use BFMMLA on the target that has it: there packed numbers are bf16, elsewhere f32.
TEST(MatmulBf16, UsesTheInstructionIfTheCpuHasIt) {
  if (!kernel::cpu::has_bfmmla()) GTEST_SKIP() << "this CPU has no BFMMLA: only the portable product ran";
  EXPECT_EQ(kernels(Device::cpu).packed_size(8, 12, DType::bf16), 8 * 12);
}

}  // namespace
}  // namespace locus::testing
