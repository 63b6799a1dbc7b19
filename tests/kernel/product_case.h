// A matrix product to compare with the reference, which accumulates in double. The right side b is f32, or
// bf16 and transposed.
#pragma once

#include "locus/kernel/matmul.h"
#include "tests/kernel/compare.h"

namespace locus::testing {

struct ProductCase {
  int64_t m, n, k;
  int64_t batch = 1;
  bool a_transposed = false, b_transposed = false, accumulate = false, bias = false;
  Activation activation = Activation::none;
  bool bf16 = false;     // b is bf16
  bool widened = false;  // if activations are bf16, so is b, packed as f32: it is not the weight of a layer

  View left(Stage& stage) const {
    return stage.activation(a_transposed ? Shape{batch * k, m} : Shape{batch * m, k}, 1);
  }
  View right(Stage& stage) const {
    const Shape shape = b_transposed ? Shape{batch * n, k} : Shape{batch * k, n};
    return bf16 || (widened && stage.bf16()) ? stage.bf16_input(shape, 2) : stage.input(shape, 2);
  }
  View added(Stage& stage) const { return bias ? stage.input({n}, 4) : View(); }
};

inline std::ostream& operator<<(std::ostream& out, const ProductCase& c) {
  return out << c.batch << " x [" << c.m << ", " << c.n << ", " << c.k << "]"
             << (c.a_transposed ? " a^T" : "") << (c.b_transposed ? " b^T" : "") << (c.widened ? " bf16" : "")
             << (c.accumulate ? " accumulated" : "") << (c.bias ? " biased " : " ") << name_of(c.activation);
}

// A sum of k products of normal numbers, rounded k times, has an error of about sqrt(k) ulp of its size
// sqrt(k); the worst of many has four times that. An activation adds its own error. Products of bf16 numbers
// are exact in f32, but BFMMLA does not always round sums to the nearest value, so the tolerance is doubled.
inline Tolerance tolerance_of(const ProductCase& c) {
  const double times = c.bf16 ? 2 : 1;
  return {.relative = times * 2e-6, .absolute = times * (2e-6 + 4 * 0x1p-24 * static_cast<double>(c.k))};
}

template <class F>
void compare_layouts(const ProductCase& c, F&& multiply) {
  for (const Layout layout : kLayouts) {
    SCOPED_TRACE(::testing::Message() << c << (layout == Layout::strided ? ", strided rows" : ""));
    compare(layout, tolerance_of(c), multiply);
  }
}

inline void compare_product(const ProductCase& c) {
  compare_layouts(c, [&](Stage& stage) {
    const Kernels& kernels = stage.kernels();
    const View a = c.left(stage), b = c.right(stage);
    const Shape room = {c.batch, kernels.packed_size(c.k, c.n, c.bf16 ? DType::bf16 : DType::f32)};
    View packed;
    if (room[1] > 0) {
      packed = c.bf16 ? stage.intermediate(room, b.dtype) : stage.workspace(room);
      kernels.pack(
          {.b = b, .packed = packed, .k = c.k, .n = c.n, .batch = c.batch, .transposed = c.b_transposed});
    }
    const Shape result = {c.batch * c.m, c.n};
    kernels.matmul({.a = a,
                    .packed = packed,
                    .b = packed ? View() : b,
                    .c = c.accumulate ? stage.updated_activation(result, 3) : stage.result(result),
                    .m = c.m,
                    .n = c.n,
                    .k = c.k,
                    .batch = c.batch,
                    .a_transposed = c.a_transposed,
                    .b_transposed = c.b_transposed,
                    .accumulate = c.accumulate,
                    .bias = c.added(stage),
                    .activation = c.activation});
  });
}

inline void compare_small_m(const ProductCase& c) {
  compare_layouts(c, [&](Stage& stage) {
    stage.kernels().matmul_small_m({.a = c.left(stage),
                                    .b = c.right(stage),
                                    .c = stage.result({c.m, c.n}),
                                    .bias = c.added(stage),
                                    .activation = c.activation});
  });
}

inline std::vector<float> random_values(uint64_t seed, int64_t count) {
  const std::vector<float>& values = normals(seed, count);
  return {values.begin(), values.begin() + count};
}

// A bad row of a affects only its row of c [m, n], and a bad column of b only its column, whatever tile they
// share. No activation, because it could map an infinity to 0.
inline void expect_spoiled(const std::vector<float>& got, const std::vector<float>& clean, int64_t n,
                           int64_t row, int64_t column) {
  ASSERT_EQ(got.size(), clean.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const auto r = static_cast<int64_t>(i) / n, c = static_cast<int64_t>(i) % n;
    EXPECT_EQ(got[i] == clean[i], r != row && c != column) << "element " << r << ", " << c;
  }
}

}  // namespace locus::testing
