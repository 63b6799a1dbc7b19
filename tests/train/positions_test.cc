// Learned positions are trained, and tasks that need the order of tokens are learned only with positions.
#include <gtest/gtest.h>

#include "locus/op/elementwise.h"
#include "locus/train/model_objective.h"
#include "locus/train/tally.h"
#include "locus/train/text_samples.h"
#include "locus/train/trainer.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

constexpr int64_t kWidth = 16, kRows = 8;

Blueprint small(ModelKind kind, HeadKind head, const std::string& scheme) {
  return {.kind = kind,
          .vocabulary = 8,
          .width = kWidth,
          .layers = 1,
          .max_length = kRows,
          .scheme = scheme,
          .attention = {.heads = 2},
          .head = {.kind = head, .labels = 8},
          .init_std = 0.25f};
}

void learn(Model& model, const Samples& samples, const TrainSettings& settings) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  ModelObjective objective(model, samples, nullptr, {.batches = {.batch_size = 16}});
  train({.objective = objective, .parameters = model.parameters(), .folder = &folder, .settings = settings});
}

// Sequences of 5, 3 and 4 tokens: position 4 occurs once, positions 5 to 7 never.
const std::vector<Sample> kThree = {{.ids = {1, 2, 3, 4, 5}, .targets = {2, 3, 4, 5, 6}},
                                    {.ids = {3, 1, 2}, .targets = {1, 2, 7}},
                                    {.ids = {2, 2, 1, 3}, .targets = {2, 1, 3, 0}}};

std::vector<float> row(const std::vector<float>& table, int64_t p) {
  return {table.begin() + p * kWidth, table.begin() + (p + 1) * kWidth};
}

TEST(LearnedPositions, OnlyRowsOfOccurringPositionsChange) {
  Model model(small(ModelKind::decoder, HeadKind::next_token, "learned"));
  const Var table = model.parameters().at("decoder.scheme.table");
  const std::vector<float> before = table.value().values();
  learn(model, ListedSamples(kThree, "three"),
        {.steps = 10, .learning_rate = 0.01, .adamw = {.weight_decay = 0.1}});
  const std::vector<float> after = table.value().values();
  for (int64_t p = 0; p < 5; ++p) EXPECT_NE(row(after, p), row(before, p)) << p;
  for (int64_t p = 5; p < kRows; ++p) EXPECT_EQ(row(after, p), row(before, p)) << p;
}

TEST(LearnedPositions, TheGradientOfARowIsTheSumOverSequencesWithThisPosition) {
  Model model(small(ModelKind::decoder, HeadKind::next_token, "learned"));
  const Var table = model.parameters().at("decoder.scheme.table");
  const auto gradient = [&](const std::vector<Sample>& samples) {
    model.parameters().clear_grads();
    const BatchLoss result = batch_loss(model, samples, {.training = true});
    op::scale(result.mean, static_cast<float>(result.count)).backward();
    return table.grad().values();
  };
  const std::vector<float> together = gradient(kThree);
  std::vector<float> sum(together.size());
  for (const Sample& sample : kThree) {
    const std::vector<float> alone = gradient({sample});
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += alone[i];
    for (size_t i = sample.ids.size() * kWidth; i < alone.size(); ++i) EXPECT_EQ(alone[i], 0);
  }
  // Three terms, each a sum of a few dozen products in f32.
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(together[i], sum[i], 1e-5) << i;
  const std::vector<float> first = gradient({kThree[0]});
  EXPECT_NEAR(together[4 * kWidth], first[4 * kWidth], 1e-5) << "the only sequence with five tokens";
}

// Every token must predict the token before it. An encoder without positions sees a bag of letters and can
// only guess one of the four others.
ListedSamples neighbors(uint64_t seed, int64_t count) {
  constexpr int64_t kLength = 5;
  std::vector<Sample> samples;
  const Random random(seed, 0);
  for (int64_t i = 0; i < count; ++i) {
    Sample sample;
    for (int64_t t = 0; t < kLength; ++t) {
      sample.targets.push_back(t == 0 ? kernel::kIgnoredTarget : sample.ids.back());
      sample.ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(i * kLength + t), 8)));
    }
    samples.push_back(std::move(sample));
  }
  return {std::move(samples), "neighbours"};
}

double accuracy_after_training(const std::string& scheme) {
  Model model(small(ModelKind::encoder, HeadKind::token_class, scheme));
  learn(model, neighbors(1, 512), {.steps = 250, .learning_rate = 0.02, .warmup = 20});
  return tally(model, neighbors(2, 100)).accuracy();
}

TEST(Order, IsNotLearnedWithoutPositions) { EXPECT_LT(accuracy_after_training("none"), 0.6); }

TEST(Order, IsLearnedThroughAnyKindOfTerm) {
  // At the input, as a rotation, in the scores by distance, and in the scores by query. Symmetric terms
  // cannot distinguish the token before from the token after.
  for (const char* scheme : {"learned", "rotary", "t5", "shaw"}) {
    EXPECT_GT(accuracy_after_training(scheme), 0.95) << scheme;
  }
}

}  // namespace
}  // namespace locus
