// Score terms that two learned numbers shape. Every device computes them in double from f32.
#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

constexpr Tolerance kRounded = {.relative = 1e-7, .absolute = 1e-12};  // once, to f32

// Numbers above, below and within the limits.
const std::vector<float> kFirst = {0.7f, -1, 1.5f}, kSecond = {0.4f, 3, 0.001f};

kernel::DistanceDecayArgs decay(Stage& stage, bool power) {
  return {.r1 = stage.input({3}, kFirst), .r2 = stage.input({3}, kSecond), .power = power, .least = -40};
}

TEST(DistanceDecay, MatchesTheReference) {
  for (const bool power : {false, true}) {
    for (const Layout layout : kLayouts) {
      compare(layout, kRounded, [&](Stage& stage) {
        kernel::DistanceDecayArgs args = decay(stage, power);
        args.out = stage.output({3, 61});
        stage.kernels().distance_decay(args);
      });
      compare(layout, kRounded, [&](Stage& stage) {
        stage.kernels().distance_decay_backward({.forward = decay(stage, power),
                                                 .dout = stage.input({3, 61}, 1),
                                                 .dr1 = stage.output({3}),
                                                 .dr2 = stage.output({3})});
      });
    }
  }
}

// Two sequences of 3 and 2 queries with 3 and 4 keys.
struct Pairs {
  Tensor query_starts = Tensor::of({3}, {0, 3, 5}), key_starts = Tensor::of({3}, {0, 3, 7});
  Tensor queries = Tensor::of({5}, {0, 1, 2, 600, 601}), keys = Tensor::of({7}, {0, 1, 2, 0, 1, 600, 601});

  kernel::PairQuotientArgs args(Stage& stage, float c, float multiplier) const {
    return {.c = stage.input({1}, std::vector<float>{c}),
            .multiplier = stage.input({1}, std::vector<float>{multiplier}),
            .threshold = 512,
            .sequences = {query_starts.view(), key_starts.view(), queries.view(), keys.view()}};
  }
};
constexpr int64_t kPairs = 17;

TEST(PairQuotient, MatchesTheReference) {
  const Pairs pairs;
  for (const auto& [c, multiplier] : {std::pair(0.1f, 1.0f), std::pair(-2.0f, -0.002f)}) {
    compare(Layout::packed, kRounded, [&, c = c, multiplier = multiplier](Stage& stage) {
      kernel::PairQuotientArgs args = pairs.args(stage, c, multiplier);
      args.out = stage.output({kPairs, 1});
      stage.kernels().pair_quotient(args);
    });
    compare(Layout::packed, kRounded, [&, c = c, multiplier = multiplier](Stage& stage) {
      stage.kernels().pair_quotient_backward({.forward = pairs.args(stage, c, multiplier),
                                              .dout = stage.input({kPairs, 1}, 1),
                                              .dc = stage.output({1}),
                                              .dmultiplier = stage.output({1})});
    });
  }
}

// The formula, for a query whose position is below the threshold and one above it.
TEST(PairQuotient, IsTheFormula) {
  const Pairs pairs;
  Stage stage(Device::reference, Layout::packed);
  kernel::PairQuotientArgs args = pairs.args(stage, 0.5f, 1);
  args.out = stage.output({kPairs, 1});
  stage.kernels().pair_quotient(args);
  const std::vector<double> got = stage.results();
  EXPECT_NEAR(got[6], std::log(2.0) / (std::log(257.0) + 1e-6), 1e-12);    // position 2, distance 2
  EXPECT_NEAR(got[9], std::log(301.0) / (std::log(301.0) + 1e-6), 1e-12);  // position 600, distance 600
  EXPECT_EQ(got[11], 0);                                                   // distance 0
}

}  // namespace
}  // namespace locus::testing
