#include <cmath>

#include "tests/activations.h"
#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// gelu has an error of at most 2e-7; its Phi of 5e-7 near 0 (rounding, eight times over), which a gradient
// multiplies by |dy| up to 4. The other activations are accurate to a few ulp of their value; slopes cancel
// near their zeros.
constexpr Tolerance kForward = {.relative = 1e-6, .absolute = 3e-7};
constexpr Tolerance kBackward = {.relative = 2e-6, .absolute = 2e-6};

TEST(Activation, Forward) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    compare_sizes(kForward, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().activation({.activation = activation,
                                  .x = stage.activation({rows, cols}, 1, 2),
                                  .y = stage.result({rows, cols})});
    });
  }
}

TEST(Activation, Backward) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    compare_sizes(kBackward, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().activation_backward({.activation = activation,
                                           .x = stage.activation({rows, cols}, 1, 2),
                                           .dy = stage.activation({rows, cols}, 2),
                                           .dx = stage.result({rows, cols})});
    });
  }
}

TEST(Activation, GatedForward) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    compare_sizes(kBackward, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().gated({.activation = activation,
                             .gate = stage.activation({rows, cols}, 1, 2),
                             .up = stage.activation({rows, cols}, 2),
                             .y = stage.result({rows, cols})});
    });
  }
}

TEST(Activation, GatedBackward) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    // One product more than backward: |dy up| is up to 15.
    compare_sizes({.relative = 2e-6, .absolute = 8e-6}, [&](Stage& stage, int64_t rows, int64_t cols) {
      stage.kernels().gated_backward({.activation = activation,
                                      .gate = stage.activation({rows, cols}, 1, 2),
                                      .up = stage.activation({rows, cols}, 2),
                                      .dy = stage.activation({rows, cols}, 3),
                                      .dgate = stage.result({rows, cols}),
                                      .dup = stage.result({rows, cols})});
    });
  }
}

TEST(Activation, InPlace) {
  compare_sizes(kBackward, [&](Stage& stage, int64_t rows, int64_t cols) {
    const View x = stage.activation({rows, cols}, 1, 2), dy = stage.updated_activation({rows, cols}, 2);
    stage.kernels().activation_backward({.activation = Activation::gelu, .x = x, .dy = dy, .dx = dy});
    stage.kernels().activation({.activation = Activation::gelu, .x = x, .y = stage.written(x)});
  });
}

// Large values saturate; no intermediate value overflows.
TEST(Activation, LargeArguments) {
  const std::vector<float> values = {-3e38f, -1e20f, -1e5f, -200, -90, -30, -12,  -9,    -5.5f,
                                     5.5f,   9,      12,    30,   90,  200, 1e5f, 1e20f, 3e38f};
  const int64_t n = static_cast<int64_t>(values.size());
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    compare(Layout::packed, kBackward, [&](Stage& stage) {
      const View x = stage.activation({n}, values);
      stage.kernels().activation({.activation = activation, .x = x, .y = stage.result({n})});
      stage.kernels().activation_backward({.activation = activation,
                                           .x = x,
                                           .dy = stage.activation({n}, std::vector<float>(values.size(), 1)),
                                           .dx = stage.result({n})});
    });
  }
}

TEST(Activation, NanStaysNan) {
  for (const Activation activation : kActivations) {
    SCOPED_TRACE(name_of(activation));
    // Seventeen values: full vectors and a tail.
    const std::vector<float> nans(17, std::nanf("1")), ones(17, 1.0f);
    each_target([&] {
      Stage stage(Device::cpu, Layout::packed);
      const View x = stage.activation({17}, nans), one = stage.activation({17}, ones);
      stage.kernels().activation({.activation = activation, .x = x, .y = stage.result({17})});
      if (activation != Activation::none && activation != Activation::relu) {
        stage.kernels().activation_backward(
            {.activation = activation, .x = x, .dy = one, .dx = stage.result({17})});
      }
      for (const double y : stage.results()) EXPECT_TRUE(std::isnan(y));
    });
  }
}

// tanh is accurate to 4 ulp over its whole range; the samples are dense around the boundary of its two
// formulas.
TEST(Activation, TanhUlps) {
  std::vector<float> values;
  for (float x = 1e-6f; x < 12; x *= 1.0007f) values.push_back(values.size() % 2 == 0 ? x : -x);
  const int64_t n = static_cast<int64_t>(values.size());
  compare(Layout::packed, {.relative = 4 * 0x1p-24}, [&](Stage& stage) {
    stage.kernels().activation(
        {.activation = Activation::tanh, .x = stage.activation({n}, values), .y = stage.result({n})});
  });
}

}  // namespace
}  // namespace locus::testing
