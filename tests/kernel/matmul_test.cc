#include "locus/kernel/matmul.h"

#include <limits>

#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

constexpr Activation kActivations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                       Activation::silu, Activation::relu, Activation::tanh};

struct Case {
  int64_t m, n, k;
  int64_t batch = 1;
  bool a_transposed = false, b_transposed = false, accumulate = false, bias = false;
  Activation activation = Activation::none;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.batch << " x [" << c.m << ", " << c.n << ", " << c.k << "]"
             << (c.a_transposed ? " a^T" : "") << (c.b_transposed ? " b^T" : "")
             << (c.accumulate ? " accumulated" : "") << (c.bias ? " biased " : " ") << name_of(c.activation);
}

// A sum of k products of normal numbers, rounded k times: about sqrt(k) ulp of its size sqrt(k), four times
// that for the worst of many. An activation adds its own.
Tolerance tolerance_of(const Case& c) {
  return {.relative = 2e-6, .absolute = 2e-6 + 4 * 0x1p-24 * static_cast<double>(c.k)};
}

void multiply(Stage& stage, const Case& c) {
  const Kernels& kernels = stage.kernels();
  const View a = c.a_transposed ? stage.input({c.batch * c.k, c.m}, 1) : stage.input({c.batch * c.m, c.k}, 1);
  const View b = c.b_transposed ? stage.input({c.batch * c.n, c.k}, 2) : stage.input({c.batch * c.k, c.n}, 2);
  const View packed = stage.workspace({c.batch, kernels.packed_size(c.k, c.n, DType::f32)});
  kernels.pack(
      {.b = b, .packed = packed, .k = c.k, .n = c.n, .batch = c.batch, .transposed = c.b_transposed});
  const Shape result = {c.batch * c.m, c.n};
  kernels.matmul({.a = a,
                  .packed = packed,
                  .c = c.accumulate ? stage.updated(result, 3) : stage.output(result),
                  .m = c.m,
                  .n = c.n,
                  .k = c.k,
                  .batch = c.batch,
                  .a_transposed = c.a_transposed,
                  .accumulate = c.accumulate,
                  .bias = c.bias ? stage.input({c.n}, 4) : View(),
                  .activation = c.activation});
}

void compare_case(const Case& c) {
  for (const Layout layout : kLayouts) {
    SCOPED_TRACE(::testing::Message() << c << (layout == Layout::apart ? ", rows apart" : ""));
    compare(layout, tolerance_of(c), [&](Stage& stage) { multiply(stage, c); });
  }
}

// Tiles are 8 or 4 rows and 3, 12, 24 or 48 columns; blocks 64 rows; slices of k 96 to 384.
TEST(Matmul, EverySizeAroundATile) {
  for (const int64_t m : {0, 1, 3, 4, 5, 8, 9}) {
    for (const int64_t n : {0, 1, 12, 13, 25}) {
      for (const int64_t k : {0, 1, 7, 16}) compare_case({.m = m, .n = n, .k = k});
    }
  }
}

TEST(Matmul, SizesThatTakeSeveralBlocksAndSlices) {
  compare_case({.m = 130, .n = 100, .k = 33});
  compare_case({.m = 65, .n = 49, .k = 385});
  compare_case({.m = 3, .n = 700, .k = 97});
  compare_case({.m = 1, .n = 31, .k = 1000});
}

TEST(Matmul, EveryTransposeBatchAndAccumulation) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const bool accumulate : {false, true}) {
        for (const auto& [m, n, k, batch] : {std::array<int64_t, 4>{1, 1, 1, 1},
                                             {7, 13, 5, 3},
                                             {67, 29, 131, 2},
                                             {12, 5, 400, 1},
                                             {5, 7, 0, 2},
                                             {5, 7, 3, 0}}) {
          compare_case({.m = m,
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
           {std::array<int64_t, 3>{1, 1, 2}, {6, 17, 3}, {66, 25, 98}, {3, 5, 0}, {2, 40, 390}}) {
        compare_case({.m = m, .n = n, .k = k, .bias = bias, .activation = activation});
        compare_case({.m = m, .n = n, .k = k, .batch = 2, .bias = bias, .activation = activation});
      }
    }
  }
}

// Strips are 16 columns, and four of k are taken at a time.
TEST(Matmul, AFewRowsWithAMatrixAsItLies) {
  for (const int64_t m : {0, 1, 3, 4, 7}) {
    for (const int64_t n : {0, 1, 16, 37}) {
      for (const int64_t k : {0, 3, 4, 50}) {
        const Case c = {.m = m, .n = n, .k = k, .bias = k != 3, .activation = Activation::gelu};
        for (const Layout layout : kLayouts) {
          SCOPED_TRACE(::testing::Message() << c << (layout == Layout::apart ? ", rows apart" : ""));
          compare(layout, tolerance_of(c), [&](Stage& stage) {
            stage.kernels().few_rows({.a = stage.input({m, k}, 1),
                                      .b = stage.input({n, k}, 2),
                                      .c = stage.output({m, n}),
                                      .bias = c.bias ? stage.input({n}, 4) : View(),
                                      .activation = c.activation});
          });
        }
      }
    }
  }
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

// The same from b turned, as it lies.
std::vector<float> few_rows_of(const std::vector<float>& a, const std::vector<float>& b, const Rows& rows) {
  const auto& [m, n, k, activation, a_transposed] = rows;
  std::vector<float> turned(b.size());
  for (int64_t i = 0; i < k * n; ++i) {
    turned[static_cast<size_t>(i % n * k + i / n)] = b[static_cast<size_t>(i)];
  }
  const Tensor left = Tensor::of({m, k}, std::span<const float>(a)),
               right = Tensor::of({n, k}, std::span<const float>(turned)), c = Tensor::empty({m, n}),
               bias = Tensor::full({n}, 0.3);
  kernels(Device::cpu)
      .few_rows({.a = left.view(),
                 .b = right.view(),
                 .c = c.view(),
                 .bias = bias.view(),
                 .activation = activation});
  return c.values();
}

std::vector<float> some(uint64_t seed, int64_t count) {
  const std::vector<float>& values = normals(seed, count);
  return {values.begin(), values.begin() + count};
}

TEST(Matmul, ARowHasTheSameBitsInAnyBatch) {
  constexpr int64_t kMost = 130, n = 77, k = 401;
  const std::vector<float> a = some(1, kMost * k), b = some(2, k * n);
  each_target([&] {
    std::vector<float> alone;
    for (int64_t row = 0; row < kMost; ++row) {
      const std::vector<float> one =
          product_of({a.begin() + row * k, a.begin() + (row + 1) * k}, b, {1, n, k, Activation::gelu});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    for (const int64_t m : {1, 2, 3, 4, 5, 8, 9, 13, 64, 65, 130}) {
      // From the end, so that a row stands at another place of its tile and block each time.
      const std::vector<float> rows(a.end() - m * k, a.end()), want(alone.end() - m * n, alone.end());
      EXPECT_EQ(product_of(rows, b, {m, n, k, Activation::gelu}), want) << m << " rows";
      if (m <= kernel::kFewRows) {
        EXPECT_EQ(few_rows_of(rows, b, {m, n, k, Activation::gelu}), want) << m << " rows, as it lies";
      }
      std::vector<float> turned(rows.size());
      for (int64_t r = 0; r < m; ++r) {
        for (int64_t i = 0; i < k; ++i)
          turned[static_cast<size_t>(i * m + r)] = rows[static_cast<size_t>(r * k + i)];
      }
      EXPECT_EQ(product_of(turned, b, {m, n, k, Activation::gelu, true}), want) << m << " rows, transposed";
    }
  });
}

// A bad row of a spoils its row of c, a bad column of b its column, whatever tile they share with others. No
// activation: it may bring an infinity back to 0.
TEST(Matmul, NanAndInfinityStayInTheirRowsAndColumns) {
  constexpr int64_t m = 11, n = 29, k = 17;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> a = some(1, m * k), b = some(2, k * n);
  const auto expect_spoiled = [&](const std::vector<float>& got, const std::vector<float>& clean, int64_t row,
                                  int64_t column) {
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const auto i = static_cast<size_t>(r * n + c);
        EXPECT_EQ(got[i] == clean[i], r != row && c != column) << "element " << r << ", " << c;
      }
    }
  };
  each_target([&] {
    const std::vector<float> clean = product_of(a, b, {m, n, k});
    for (int64_t row = 0; row < m; ++row) {
      std::vector<float> bad = a;
      bad[static_cast<size_t>(row * k + 3)] = std::nanf("");
      expect_spoiled(product_of(bad, b, {m, n, k}), clean, row, -1);
    }
    for (int64_t column = 0; column < n; ++column) {
      std::vector<float> bad = b;
      bad[static_cast<size_t>(7 * n + column)] = kInfinity;
      expect_spoiled(product_of(a, bad, {m, n, k}), clean, -1, column);
    }
  });
}

}  // namespace
}  // namespace locus::testing
