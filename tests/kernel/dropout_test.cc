#include <numeric>

#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// The mask is exact; kept values are rounded twice (the reciprocal and the product).
TEST(Dropout, MatchesTheCounter) {
  for (const float rate : {0.0f, 0.1f, 0.5f, 0.999f}) {
    SCOPED_TRACE(rate);
    compare_sizes({.relative = 0x1p-22}, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().dropout({.x = stage.activation({rows, cols}, 1),
                               .y = stage.result({rows, cols}),
                               .rate = rate,
                               .seed = 0x123456789abcdefu,
                               .stream = 0xfedcba987654321u});
    });
  }
}

TEST(Dropout, KeepsTheMeanAndDropsTheRate) {
  const int64_t n = 1 << 18;
  const Tensor ones = Tensor::full({n}, 1), y = Tensor::zeros({n});
  kernels(Device::cpu).dropout({.x = ones.view(), .y = y.view(), .rate = 0.25f, .seed = 7, .stream = 1});
  // Four standard deviations of the number dropped.
  const double dropped = static_cast<double>(std::ranges::count(y.values(), 0.0f));
  EXPECT_NEAR(dropped, 0.25 * n, 4 * std::sqrt(0.25 * 0.75 * n));
  const std::vector<float> kept = y.values();
  EXPECT_NEAR(std::accumulate(kept.begin(), kept.end(), 0.0) / n, 1, 0.01);
}

}  // namespace
}  // namespace locus::testing
