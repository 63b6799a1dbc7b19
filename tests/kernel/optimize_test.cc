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
      const kernel::AdamWParameter list[] = {{.parameter = stage.updated({rows, cols}, 1),
                                              .gradient = stage.input({rows, cols}, 2),
                                              .first = stage.updated({rows, cols}, 3),
                                              .second = second,
                                              .decay = 0.1f,
                                              .step = step}};
      stage.kernels().adamw({.list = list, .rate = 0.01f, .scale = 0.7f});
    });
  }
}

// A parameter whose gradient was always 0 only decays: 0 / (0 + eps) must not become NaN.
TEST(Optimize, AdamWWithoutGradient) {
  const Tensor p = Tensor::full({19}, 2), zero = Tensor::zeros({19}), m = Tensor::zeros({19}),
               v = Tensor::zeros({19});
  const kernel::AdamWParameter list[] = {
      {.parameter = p.view(), .gradient = zero.view(), .first = m.view(), .second = v.view(), .decay = 0.5f}};
  kernels(Device::cpu).adamw({.list = list, .rate = 0.5f});
  for (const float value : p.values()) EXPECT_EQ(value, 1.5f);
}

// Every parameter of a list has its own decay and number of steps, and the result that it has alone.
TEST(Optimize, AdamWOfAList) {
  compare(Layout::packed, kTolerance, [](Stage& stage) {
    std::vector<kernel::AdamWParameter> list;
    for (const int64_t step : {1, 2, 30}) {
      const auto seed = static_cast<uint64_t>(step);
      list.push_back({.parameter = stage.updated({step, 5}, seed),
                      .gradient = stage.input({step, 5}, seed + 1),
                      .first = stage.updated({step, 5}, seed + 2),
                      .second = stage.written(stage.input({step, 5}, std::vector<float>(200, 0.3f))),
                      .decay = 0.1f * static_cast<float>(step),
                      .step = step});
    }
    stage.kernels().adamw({.list = list, .rate = 0.01f});
  });
}

}  // namespace
}  // namespace locus::testing
