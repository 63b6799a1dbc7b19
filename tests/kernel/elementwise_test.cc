#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// One rounding per element.
constexpr Tolerance kRounding = {.relative = 0x1p-23};

TEST(Elementwise, Add) {
  compare_sizes(kRounding, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().add({.a = stage.activation({rows, cols}, 1),
                         .b = stage.activation({rows, cols}, 2),
                         .out = stage.result({rows, cols})});
  });
}

TEST(Elementwise, Scale) {
  compare_sizes(kRounding, [](Stage& stage, int64_t rows, int64_t cols) {
    const View x = stage.updated_activation({rows, cols}, 1);
    stage.kernels().scale({.x = x, .out = x, .factor = 1.7f});
  });
}

TEST(Elementwise, Multiply) {
  compare_sizes(kRounding, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().multiply({.a = stage.activation({rows, cols}, 1),
                              .b = stage.activation({rows, cols}, 2),
                              .out = stage.result({rows, cols})});
  });
}

TEST(Elementwise, Bias) {
  compare_sizes(kRounding, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().bias({.x = stage.activation({rows, cols}, 1),
                          .bias = stage.input({cols}, 2),
                          .out = stage.result({rows, cols})});
  });
}

TEST(Elementwise, ColumnSum) {
  // Up to 69 numbers of size 1 are added one by one, then 16 such sums: about 70 roundings of numbers up to
  // 30.
  compare_sizes({.absolute = 3e-5}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().column_sum({.x = stage.activation({rows, cols}, 1),
                                .out = stage.output({cols}),
                                .workspace = stage.workspace({stage.kernels().partial_rows(rows), cols})});
  });
}

TEST(Elementwise, MixedLayouts) {
  for (const auto& [rows, cols] : kSizes) {
    const Tensor a = Tensor::full({rows, cols}, 3), wide = Tensor::full({rows, cols + 1}, 4);
    const Tensor out = Tensor::zeros({rows, cols});
    kernels(Device::cpu).add({.a = a.view(), .b = wide.columns(1, cols + 1).view(), .out = out.view()});
    for (const float value : out.values()) ASSERT_EQ(value, 7);
  }
}

}  // namespace
}  // namespace locus::testing
