#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// A few roundings; the new value of the parameter differs from a number of size 1 by at most the learning
// rate.
constexpr Tolerance kTolerance = {.relative = 1e-6, .absolute = 1e-6};

TEST(Optimize, AdamW) {
  for (const int64_t step : {1, 1000}) {
    SCOPED_TRACE(step);
    compare_sizes(kTolerance, [&](Stage& stage, int64_t rows, int64_t cols) {
      const View second = stage.updated({rows, cols}, 4);
      kernel::each(second, [&](int64_t r, int64_t c) {
        kernel::put(second, r, c, std::abs(kernel::at(second, r, c)));
      });
      stage.kernels().adamw({.parameter = stage.updated({rows, cols}, 1),
                             .gradient = stage.input({rows, cols}, 2),
                             .first = stage.updated({rows, cols}, 3),
                             .second = second,
                             .rate = 0.01f,
                             .decay = 0.1f,
                             .scale = 0.7f,
                             .step = step});
    });
  }
}

// A parameter whose gradient was always 0 only decays: 0 / (0 + eps) must not become NaN.
TEST(Optimize, AdamWWithoutGradient) {
  const Tensor p = Tensor::full({19}, 2), zero = Tensor::zeros({19}), m = Tensor::zeros({19}),
               v = Tensor::zeros({19});
  kernels(Device::cpu)
      .adamw({.parameter = p.view(),
              .gradient = zero.view(),
              .first = m.view(),
              .second = v.view(),
              .rate = 0.5f,
              .decay = 0.5f});
  for (const float value : p.values()) EXPECT_EQ(value, 1.5f);
}

}  // namespace
}  // namespace locus::testing
