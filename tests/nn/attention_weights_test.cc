#include "locus/nn/attention_weights.h"

#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "tests/expect_error.h"

namespace locus::testing {
namespace {

class LookedAt : public ::testing::TestWithParam<const SchemeInfo*> {};
INSTANTIATE_TEST_SUITE_P(AttentionWeights, LookedAt, ::testing::ValuesIn(schemes().begin(), schemes().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(LookedAt, EveryRowAddsUpToOneAndNoneLooksAhead) {
  Blueprint b;
  b.vocabulary = 9;
  b.width = 12;
  b.attention.heads = 3;  // heads of 4: the keys need several runs
  b.max_length = 16;
  b.scheme = GetParam()->name;
  b.init_std = 0.5f;
  const Model model(b, {.seed = 1});
  Trace trace;
  ForwardPass pass;
  pass.trace = &trace;
  const Tokens tokens = tokens_of({{1, 2, 3, 4, 5, 6, 7}}, b);
  const Var seen = model(tokens, pass), unseen = model(tokens);
  EXPECT_EQ(seen.value().values(), unseen.value().values());
  ASSERT_EQ(trace.weights.size(), 2u);
  ASSERT_EQ(trace.states.size(), 3u);
  EXPECT_EQ(trace.states[0].shape(), (Shape{7, 12}));
  for (const Tensor& layer : trace.weights) {
    ASSERT_EQ(layer.shape(), (Shape{3, 7, 7}));
    const auto w = layer.data<float>();
    for (int64_t row = 0; row < 21; ++row) {
      double sum = 0;
      for (int64_t j = 0; j < 7; ++j) {
        sum += w[row * 7 + j];
        if (j > row % 7) {
          EXPECT_EQ(w[row * 7 + j], 0) << "row " << row << " key " << j;
        }
      }
      EXPECT_NEAR(sum, 1, 1e-5);  // seven roundings of numbers below 1
    }
  }
}

TEST(AttentionWeights, OfSeveralSequencesAreRefused) {
  Blueprint b;
  const Model model(b);
  Trace trace;
  ForwardPass pass;
  pass.trace = &trace;
  expect_error(Fault::data, {"attention_weights", "2", "1"}, [&] { model(tokens_of({{1}, {2}}, b), pass); });
}

}  // namespace
}  // namespace locus::testing
