#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// mean and rstd have the error of a few hundred f32 additions; y has size 3 |gamma|.
constexpr Tolerance kForward = {.relative = 3e-6, .absolute = 3e-6};

TEST(Norm, Forward) {
  for (const bool rms : {false, true}) {
    SCOPED_TRACE(rms ? "rms" : "layer");
    compare_sizes(kForward, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().norm({.x = stage.activation({rows, cols}, 1, 3),
                            .gamma = stage.input({cols}, 2),
                            .beta = rms ? View() : stage.input({cols}, 3),
                            .y = stage.result({rows, cols}),
                            .mean = rms ? View() : stage.output({rows}),
                            .rstd = stage.output({rows}),
                            .eps = 1e-5f,
                            .rms = rms});
    });
  }
}

TEST(Norm, ForwardWithoutStatistics) {
  compare_sizes(kForward, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().norm({.x = stage.activation({rows, cols}, 1),
                          .gamma = stage.input({cols}, 2),
                          .y = stage.result({rows, cols}),
                          .eps = 1e-5f});
  });
}

// A mean of a thousand standard deviations: E[x^2] - E[x]^2 in f32 would lose all of the variance. The
// remaining error is the rounding of the mean: the scalar target adds 192 numbers one by one, up to 2e5, each
// rounded to 2^-7.
TEST(Norm, FarFromZero) {
  std::vector<float> values = normals(1, 768);
  for (float& value : values) value += 1000;
  compare(Layout::packed, {.absolute = 1e-3}, [&](Stage& stage) {
    stage.kernels().norm({.x = stage.input({1, 768}, values),
                          .gamma = stage.input({768}, 2),
                          .y = stage.output({1, 768}),
                          .eps = 1e-5f});
  });
}

// Means on both sides of the limit for the second sweep, 1.41 standard deviations.
TEST(Norm, AwayFromZero) {
  for (const float offset : {1.3f, 1.5f, -1.3f, -1.5f}) {
    SCOPED_TRACE(offset);
    std::vector<float> values = normals(1, 768);
    for (float& value : values) value += offset;
    compare(Layout::packed, kForward, [&](Stage& stage) {
      stage.kernels().norm({.x = stage.activation({1, 768}, values),
                            .gamma = stage.input({768}, 2),
                            .y = stage.result({1, 768}),
                            .rstd = stage.output({1}),
                            .eps = 1e-5f});
    });
  }
}

// dx is computed from numbers up to 30 that may cancel; dgamma adds up to a thousand of them.
TEST(Norm, Backward) {
  for (const bool rms : {false, true}) {
    SCOPED_TRACE(rms ? "rms" : "layer");
    compare_sizes({.relative = 1e-5, .absolute = 1e-4}, [&](Stage& stage, int64_t rows, int64_t cols) {
      std::vector<float> rstd(static_cast<size_t>(rows), 0.8f);
      stage.kernels().norm_backward(
          {.x = stage.activation({rows, cols}, 1),
           .gamma = stage.input({cols}, 2),
           .mean = rms ? View() : stage.input({rows}, 3, 0.1f),
           .rstd = stage.input({rows}, rstd),
           .dy = stage.activation({rows, cols}, 4),
           .dx = stage.result({rows, cols}),
           .dgamma = stage.output({cols}),
           .dbeta = rms ? View() : stage.output({cols}),
           .workspace = stage.workspace({2 * stage.kernels().partial_rows(rows), cols}),
           .rms = rms});
    });
  }
}

TEST(Norm, BackwardOfInputAlone) {
  compare_sizes({.relative = 1e-5, .absolute = 1e-4}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().norm_backward({.x = stage.activation({rows, cols}, 1),
                                   .gamma = stage.input({cols}, 2),
                                   .mean = stage.input({rows}, 3, 0.1f),
                                   .rstd = stage.input({rows}, 5),
                                   .dy = stage.activation({rows, cols}, 4),
                                   .dx = stage.result({rows, cols})});
  });
}

}  // namespace
}  // namespace locus::testing
