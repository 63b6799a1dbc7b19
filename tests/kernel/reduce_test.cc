#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

TEST(Reduce, Sum) {
  // The sum of a block of 1024 numbers of size 1 is near 32, after about 80 roundings; there are a hundred
  // blocks.
  compare_sizes({.relative = 1e-6, .absolute = 1e-3}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.record(stage.kernels().sum(stage.input({rows, cols}, 1)));
  });
}

TEST(Reduce, SquaredNorm) {
  // All terms are positive: the relative error is that of 70 sequential additions.
  compare_sizes({.relative = 2e-6}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.record(stage.kernels().squared_norm(stage.input({rows, cols}, 1)));
  });
}

// More elements than the largest number of chunks times the smallest chunk.
TEST(Reduce, LongRuns) {
  const int64_t n = 5'000'011;
  const Tensor ones = Tensor::full({n}, 1);
  EXPECT_EQ(kernels(Device::cpu).sum(ones.view()), n);
  EXPECT_EQ(kernels(Device::cpu).squared_norm(ones.view()), n);
}

TEST(Reduce, NanIsSeen) {
  for (const int64_t at : {0, 5, 1023, 40000}) {
    Tensor x = Tensor::zeros({40001});
    x.data<float>()[static_cast<size_t>(at)] = std::nanf("");
    EXPECT_TRUE(std::isnan(kernels(Device::cpu).sum(x.view()))) << at;
    EXPECT_TRUE(std::isnan(kernels(Device::cpu).squared_norm(x.view()))) << at;
  }
}

}  // namespace
}  // namespace locus::testing
