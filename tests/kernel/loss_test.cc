#include <limits>

#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Options {
  bool weighted;
  float smoothing;
};
constexpr Options kOptions[] = {{false, 0}, {true, 0}, {false, 0.1f}, {true, 0.3f}};

// Targets in range; every third row is ignored.
View targets(Stage& stage, int64_t rows, int64_t cols) {
  const View ids = stage.ids(rows, 5, static_cast<uint32_t>(cols));
  for (int64_t n = 2; n < rows; n += 3) ids.as<int32_t>()[n] = kernel::kIgnoredTarget;
  return ids;
}

template <class Call>
void compare_options(Tolerance tolerance, Call call) {
  for (const Options& options : kOptions) {
    SCOPED_TRACE(::testing::Message()
                 << "weighted " << options.weighted << ", smoothing " << options.smoothing);
    compare_sizes(tolerance, [&](Stage& stage, int64_t rows, int64_t cols) {
      if (rows * cols > 0) call(stage, options, rows, cols);
    });
  }
}

// The loss has size 10 and is stored in f32; label smoothing adds products of weights and logits of size 30.
TEST(CrossEntropy, Forward) {
  compare_options(
      {.relative = 1e-6, .absolute = 5e-6}, [](Stage& stage, Options options, int64_t rows, int64_t cols) {
        stage.kernels().cross_entropy({.logits = stage.activation({rows, cols}, 1, 4),
                                       .targets = targets(stage, rows, cols),
                                       .weights = options.weighted ? stage.input({cols}, 2) : View(),
                                       .loss = stage.output({rows}),
                                       .lse = stage.output({rows}),
                                       .smoothing = options.smoothing});
      });
}

// x - lse, up to 40, is rounded to 2^-19; e^(x - lse) has that relative error.
TEST(CrossEntropy, Backward) {
  compare_options(
      {.relative = 3e-6, .absolute = 1e-6}, [](Stage& stage, Options options, int64_t rows, int64_t cols) {
        const View logits = stage.activation({rows, cols}, 1, 4), ids = targets(stage, rows, cols);
        const View weights = options.weighted ? stage.input({cols}, 2) : View();
        std::vector<float> lse(static_cast<size_t>(rows), 12.0f);
        stage.kernels().cross_entropy_backward({.logits = logits,
                                                .targets = ids,
                                                .weights = weights,
                                                .lse = stage.input({rows}, lse),
                                                .dloss = stage.input({1}, 3),
                                                .divisor = 7,
                                                .dlogits = stage.result({rows, cols}),
                                                .smoothing = options.smoothing});
      });
}

TEST(CrossEntropy, BackwardInPlace) {
  compare_sizes({.relative = 3e-6, .absolute = 1e-6}, [](Stage& stage, int64_t rows, int64_t cols) {
    if (rows * cols == 0) return;
    const View logits = stage.updated_activation({rows, cols}, 1, 4);
    std::vector<float> lse(static_cast<size_t>(rows), 12.0f);
    stage.kernels().cross_entropy_backward({.logits = logits,
                                            .targets = targets(stage, rows, cols),
                                            .lse = stage.input({rows}, lse),
                                            .dloss = stage.input({1}, 3),
                                            .dlogits = logits});
  });
}

TEST(CrossEntropy, NoRows) {
  each_target([] {
    Stage stage(Device::cpu, Layout::packed);
    Tensor untouched = Tensor::full({2}, 5);
    View none = untouched.view();
    none.cols = 0;
    stage.kernels().cross_entropy(
        {.logits = stage.activation({0, 7}, 1), .targets = stage.ids(0, 2, 7), .loss = none, .lse = none});
    EXPECT_EQ(untouched.values(), std::vector<float>(2, 5));
  });
}

// Logits far from 0 or far from each other, in any order, do not overflow or lose the contribution of small
// ones.
TEST(CrossEntropy, ExtremeLogits) {
  std::vector<float> values(5000, -kInfinity);
  values[10] = -1e30f;
  values[1500] = 900;
  values[3000] = 1000;
  values[4999] = 999.5f;
  std::vector<float> low(5000, -3e4f), high(5000, 1e7f);
  high[4000] += 2;
  for (const std::vector<float>& row : {values, low, high}) {
    compare(Layout::packed, {.relative = 2e-7, .absolute = 1e-6}, [&](Stage& stage) {
      const View ids = stage.ids(1, 1, 1);
      ids.as<int32_t>()[0] = 4999;
      const View logits = stage.activation({1, 5000}, row), lse = stage.output({1});
      stage.kernels().cross_entropy(
          {.logits = logits, .targets = ids, .loss = stage.output({1}), .lse = lse});
    });
  }
}

TEST(CrossEntropy, NanIsNotHidden) {
  for (const float bad : {std::nanf(""), kInfinity}) {
    for (const size_t at : {size_t{0}, size_t{5}, size_t{2047}, size_t{3000}, size_t{4098}}) {
      each_target([&] {
        std::vector<float> values(4099, 1.0f);
        values[at] = bad;
        Stage stage(Device::cpu, Layout::packed);
        const View logits = stage.activation({1, 4099}, values), ids = stage.ids(1, 1, 4099);
        const View loss = stage.output({1}), lse = stage.output({1});
        stage.kernels().cross_entropy({.logits = logits, .targets = ids, .loss = loss, .lse = lse});
        stage.kernels().cross_entropy_backward({.logits = logits,
                                                .targets = ids,
                                                .lse = lse,
                                                .dloss = stage.input({1}, std::vector<float>{1}),
                                                .dlogits = stage.result({1, 4099})});
        for (const double result : stage.results()) ASSERT_TRUE(std::isnan(result)) << "bad logit at " << at;
      });
    }
  }
}

// A row of only -inf has no distribution.
TEST(CrossEntropy, AllMasked) {
  each_target([] {
    Stage stage(Device::cpu, Layout::packed);
    const View loss = stage.output({1});
    stage.kernels().cross_entropy({.logits = stage.activation({1, 40}, std::vector<float>(40, -kInfinity)),
                                   .targets = stage.ids(1, 1, 40),
                                   .loss = loss,
                                   .lse = stage.output({1})});
    for (const double result : stage.results()) EXPECT_TRUE(std::isnan(result));
  });
}

}  // namespace
}  // namespace locus::testing
