#include "locus/kernel/matmul.h"

#include <limits>

#include "tests/activations.h"
#include "tests/kernel/product_case.h"

namespace locus::testing {
namespace {

// Tiles have 8 or 4 rows and 3, 12, 24 or 48 columns; blocks have 128 rows; slices of k are at most 192 to
// 768 deep.
TEST(Matmul, EverySizeAroundATile) {
  for (const int64_t m : {0, 1, 3, 4, 5, 8, 9}) {
    for (const int64_t n : {0, 1, 12, 13, 25}) {
      for (const int64_t k : {0, 1, 2, 7, 16}) compare_product({.m = m, .n = n, .k = k});
    }
  }
}

TEST(Matmul, SizesThatTakeSeveralBlocksAndSlices) {
  compare_product({.m = 130, .n = 100, .k = 33});
  compare_product({.m = 65, .n = 49, .k = 385});
  compare_product({.m = 3, .n = 700, .k = 97});
  compare_product({.m = 1, .n = 31, .k = 1000});
  compare_product({.m = 20, .n = 26, .k = 1300, .bias = true});
  compare_product({.m = 150, .n = 38, .k = 1601, .bias = true});
}

TEST(Matmul, EveryTransposeBatchAndAccumulation) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const bool accumulate : {false, true}) {
        for (const auto& [m, n, k, batch] : {std::array<int64_t, 4>{1, 1, 1, 1},
                                             {7, 13, 5, 3},
                                             {67, 29, 131, 2},
                                             {12, 5, 400, 1},
                                             {13, 25, 1100, 1},
                                             {5, 7, 0, 2},
                                             {5, 7, 3, 0}}) {
          compare_product({.m = m,
                           .n = n,
                           .k = k,
                           .batch = batch,
                           .a_transposed = a_transposed,
                           .b_transposed = b_transposed,
                           .accumulate = accumulate});
        }
      }
    }
  }
}

TEST(Matmul, BiasAndEveryActivation) {
  for (const Activation activation : kActivations) {
    for (const bool bias : {false, true}) {
      for (const auto& [m, n, k] :
           {std::array<int64_t, 3>{1, 1, 2}, {6, 17, 3}, {66, 25, 98}, {3, 5, 0}, {20, 40, 900}}) {
        compare_product({.m = m, .n = n, .k = k, .bias = bias, .activation = activation});
        compare_product({.m = m, .n = n, .k = k, .batch = 2, .bias = bias, .activation = activation});
      }
    }
  }
}

// Strips have 8 or 4 rows and 16 columns, and take four k at a time. Up to 64 rows are lanes, in groups of up
// to three vectors; more rows are multiplied with packed panels. Both use pieces of at most 512 k, with
// deeper slices of a for fewer rows.
TEST(Matmul, SmallMWithUnpackedMatrix) {
  for (const int64_t m : {0, 1, 2, 4, 5, 8, 9, 12, 16, 20, 28, 64, 65, 128}) {
    for (const int64_t n : {0, 1, 16, 37}) {
      for (const int64_t k : {0, 3, 4, 50}) {
        compare_small_m(
            {.m = m, .n = n, .k = k, .b_transposed = true, .bias = k != 3, .activation = Activation::gelu});
      }
    }
  }
  compare_small_m({.m = 19, .n = 230, .k = 1030, .b_transposed = true, .bias = true});
  compare_small_m({.m = 41, .n = 50, .k = 3101, .b_transposed = true});
}

struct Rows {
  int64_t m, n, k;
  Activation activation = Activation::none;
  bool a_transposed = false;
};

// f(a b + 0.3) on the CPU, a [m, k] and b [k, n].
std::vector<float> product_of(const std::vector<float>& a, const std::vector<float>& b, const Rows& rows) {
  const auto& [m, n, k, activation, a_transposed] = rows;
  const Kernels& table = kernels(Device::cpu);
  const Tensor left = Tensor::of(a_transposed ? Shape{k, m} : Shape{m, k}, std::span<const float>(a)),
               right = Tensor::of({k, n}, std::span<const float>(b)),
               packed = Tensor::empty({1, table.packed_size(k, n, DType::f32)}), c = Tensor::empty({m, n}),
               bias = Tensor::full({n}, 0.3);
  table.pack({.b = right.view(), .packed = packed.view(), .k = k, .n = n});
  table.matmul({.a = left.view(),
                .packed = packed.view(),
                .c = c.view(),
                .m = m,
                .n = n,
                .k = k,
                .a_transposed = a_transposed,
                .bias = bias.view(),
                .activation = activation});
  return c.values();
}

// The same with b transposed and unpacked.
std::vector<float> small_m_product_of(const std::vector<float>& a, const std::vector<float>& b,
                                      const Rows& rows) {
  const auto& [m, n, k, activation, a_transposed] = rows;
  std::vector<float> transposed(b.size());
  for (int64_t i = 0; i < k * n; ++i) {
    transposed[static_cast<size_t>(i % n * k + i / n)] = b[static_cast<size_t>(i)];
  }
  const Tensor left = Tensor::of({m, k}, std::span<const float>(a)),
               right = Tensor::of({n, k}, std::span<const float>(transposed)), c = Tensor::empty({m, n}),
               bias = Tensor::full({n}, 0.3);
  kernels(Device::cpu)
      .matmul_small_m({.a = left.view(),
                       .b = right.view(),
                       .c = c.view(),
                       .bias = bias.view(),
                       .activation = activation});
  return c.values();
}

TEST(Matmul, ARowHasTheSameBitsInAnyBatch) {
  constexpr int64_t kMost = 130, n = 77, k = 401;
  const std::vector<float> a = random_values(1, kMost * k), b = random_values(2, k * n);
  each_target([&] {
    std::vector<float> alone;
    for (int64_t row = 0; row < kMost; ++row) {
      const std::vector<float> one =
          product_of({a.begin() + row * k, a.begin() + (row + 1) * k}, b, {1, n, k, Activation::gelu});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    for (const int64_t m : {1, 2, 3, 4, 5, 8, 9, 13, 64, 65, 130}) {
      // Rows from the end, so that a row is at a different place in its tile and block each time.
      const std::vector<float> rows(a.end() - m * k, a.end()), want(alone.end() - m * n, alone.end());
      EXPECT_EQ(product_of(rows, b, {m, n, k, Activation::gelu}), want) << m << " rows";
      if (m <= kernel::kMaxSmallM) {
        EXPECT_EQ(small_m_product_of(rows, b, {m, n, k, Activation::gelu}), want) << m << " rows, unpacked";
      }
      std::vector<float> transposed(rows.size());
      for (int64_t r = 0; r < m; ++r) {
        for (int64_t i = 0; i < k; ++i)
          transposed[static_cast<size_t>(i * m + r)] = rows[static_cast<size_t>(r * k + i)];
      }
      EXPECT_EQ(product_of(transposed, b, {m, n, k, Activation::gelu, true}), want)
          << m << " rows, transposed";
    }
  });
}

TEST(Matmul, NanAndInfinityStayInTheirRowsAndColumns) {
  constexpr int64_t m = 11, n = 29, k = 17;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> a = random_values(1, m * k), b = random_values(2, k * n);
  each_target([&] {
    const std::vector<float> clean = product_of(a, b, {m, n, k});
    for (int64_t row = 0; row < m; ++row) {
      std::vector<float> bad = a;
      bad[static_cast<size_t>(row * k + 3)] = std::nanf("");
      expect_spoiled(product_of(bad, b, {m, n, k}), clean, n, row, -1);
    }
    for (int64_t column = 0; column < n; ++column) {
      std::vector<float> bad = b;
      bad[static_cast<size_t>(7 * n + column)] = kInfinity;
      expect_spoiled(product_of(a, bad, {m, n, k}), clean, n, -1, column);
    }
  });
}

}  // namespace
}  // namespace locus::testing
