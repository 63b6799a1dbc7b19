#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// The result as the kernel has it before it is rounded.
double exact(void (*Kernels::*reduce)(const kernel::SumArgs&), const Tensor& x, double divisor = 1) {
  const Tensor out = Tensor::empty({1}, DType::f64);
  (kernels(Device::cpu).*reduce)({.x = x.view(), .out = out.view(), .divisor = divisor});
  return out.item();
}

TEST(Reduce, Sum) {
  // The sum of a block of 1024 numbers of size 1 is near 32, after about 80 roundings; there are a hundred
  // blocks.
  compare_sizes({.relative = 1e-6, .absolute = 1e-3}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().sum({stage.activation({rows, cols}, 1), stage.output({1})});
  });
}

TEST(Reduce, SquaredNorm) {
  // All terms are positive: the relative error is that of 70 sequential additions.
  compare_sizes({.relative = 2e-6}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().squared_norm({stage.activation({rows, cols}, 1), stage.output({1})});
  });
}

TEST(Reduce, AreDividedBeforeTheyAreRounded) {
  const Tensor ones = Tensor::full({16'777'217}, 1);  // 2^24 + 1, which f32 does not have
  const Tensor out = Tensor::empty({1});
  for (const auto reduce : {&Kernels::sum, &Kernels::squared_norm}) {
    (kernels(Device::cpu).*reduce)({.x = ones.view(), .out = out.view(), .divisor = 16'777'217});
    EXPECT_EQ(out.item(), 1);
    EXPECT_EQ(exact(reduce, ones, 2), 8'388'608.5);
  }
}

TEST(Reduce, Spread) {
  compare_sizes({.relative = 1e-7}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().spread({.x = stage.input({1}, 1), .out = stage.result({rows, cols}), .divisor = 3});
  });
}

// More elements than the largest number of chunks times the smallest chunk.
TEST(Reduce, LongRuns) {
  const int64_t n = 5'000'011;
  const Tensor ones = Tensor::full({n}, 1);
  EXPECT_EQ(exact(&Kernels::sum, ones), n);
  EXPECT_EQ(exact(&Kernels::squared_norm, ones), n);
}

TEST(Reduce, NanIsSeen) {
  for (const int64_t at : {0, 5, 1023, 40000}) {
    Tensor x = Tensor::zeros({40001});
    x.data<float>()[static_cast<size_t>(at)] = std::nanf("");
    EXPECT_TRUE(std::isnan(exact(&Kernels::sum, x))) << at;
    EXPECT_TRUE(std::isnan(exact(&Kernels::squared_norm, x))) << at;
  }
}

}  // namespace
}  // namespace locus::testing
