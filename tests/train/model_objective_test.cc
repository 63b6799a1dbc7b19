#include "locus/train/model_objective.h"

#include <gtest/gtest.h>

#include "locus/train/text_samples.h"
#include "locus/train/trainer.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

ListedSamples listed(std::vector<Sample> samples) { return {std::move(samples), "the list"}; }

Blueprint small(ModelKind kind, HeadKind head) {
  return {.kind = kind,
          .vocabulary = 12,
          .width = 16,
          .layers = 1,
          .max_length = 16,
          .scheme = "learned",
          .attention = {.heads = 2},
          .head = {.kind = head, .labels = 3}};
}

// Trains and returns the first and the last loss.
std::pair<double, double> learn(const Blueprint& blueprint, const ListedSamples& samples,
                                Validation* validation = nullptr) {
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  Model model(blueprint);
  ModelObjective objective(model, samples, &samples, {.batches = {.batch_size = 4}});
  std::vector<double> losses;
  train({.objective = objective,
         .parameters = model.parameters(),
         .folder = &folder,
         .settings = {.steps = 60, .schedule = Schedule::Shape::constant, .learning_rate = 0.02},
         .hooks = {.progress = [&](const TrainProgress& progress) {
           losses.push_back(progress.last.loss);
           if (validation != nullptr && progress.validation) *validation = *progress.validation;
         }}});
  return {losses.front(), losses.back()};
}

constexpr int32_t kNone = kernel::kIgnoredTarget;

TEST(ModelObjective, NextTokens) {
  Validation validation;
  const auto [first, last] = learn(
      small(ModelKind::decoder, HeadKind::next_token),
      listed({{.ids = {1, 2, 3, 4}, .targets = {2, 3, 4, 5}}, {.ids = {5, 4, 3}, .targets = {4, 3, 2}}}),
      &validation);
  EXPECT_NEAR(first, std::log(12), 0.5);
  EXPECT_LT(last, 0.1);
  ASSERT_EQ(validation.more.size(), 2u);
  EXPECT_EQ(validation.more[0], (NamedNumber{"accuracy", 1.0}));
  EXPECT_EQ(validation.more[1].first, "perplexity");
  EXPECT_DOUBLE_EQ(validation.more[1].second, std::exp(validation.loss));
}

TEST(ModelObjective, MaskedTokens) {
  const auto [first, last] = learn(small(ModelKind::encoder, HeadKind::masked_token),
                                   listed({{.ids = {1, 11, 3}, .targets = {kNone, 2, kNone}},
                                           {.ids = {4, 11, 6}, .targets = {kNone, 5, kNone}}}));
  EXPECT_LT(last, 0.1 * first);
}

TEST(ModelObjective, Translation) {
  const auto [first, last] = learn(small(ModelKind::encoder_decoder, HeadKind::next_token),
                                   listed({{.ids = {0, 3, 2, 1}, .targets = {3, 2, 1, 0}, .text = {1, 2, 3}},
                                           {.ids = {0, 4, 5}, .targets = {4, 5, 0}, .text = {5, 4}}}));
  EXPECT_LT(last, 0.1 * first);
}

TEST(ModelObjective, Classes) {
  const auto [first, last] =
      learn(small(ModelKind::encoder, HeadKind::sequence_class),
            listed({{.ids = {1, 2}, .targets = {0}}, {.ids = {2, 1, 3}, .targets = {2}}}));
  EXPECT_LT(last, 0.1 * first);
}

TEST(ModelObjective, ClassesOfTokens) {
  const auto [first, last] =
      learn(small(ModelKind::encoder, HeadKind::token_class),
            listed({{.ids = {1, 2}, .targets = {0, 1}}, {.ids = {2, 1, 3}, .targets = {1, kNone, 2}}}));
  EXPECT_LT(last, 0.1 * first);
}

TEST(ModelObjective, Answers) {
  Validation validation;
  const auto [first, last] = learn(
      small(ModelKind::encoder, HeadKind::answer),
      listed({{.ids = {1, 2, 3, 4}, .targets = {1, 2}}, {.ids = {4, 3, 2}, .targets = {0, 0}}}), &validation);
  // At first every end is equally likely: the mean over samples of ln 4 and ln 3.
  EXPECT_NEAR(first, (std::log(4) + std::log(3)) / 2, 0.1);
  EXPECT_LT(last, 0.1 * first);
  EXPECT_EQ(validation.more[0], (NamedNumber{"accuracy", 1.0}));
}

TEST(ModelObjective, TheWeightOfAMicroBatchIsItsNumberOfTargets) {
  const ListedSamples samples(
      {{.ids = {1, 2, 3}, .targets = {2, kNone, kNone}}, {.ids = {1, 2, 3}, .targets = {2, 3, 4}}}, "two");
  Model model(small(ModelKind::decoder, HeadKind::next_token));
  ModelObjective objective(model, samples, nullptr, {.batches = {.batch_size = 2, .shuffle = false}});
  const PartialLoss whole = objective.loss({}), first = objective.loss({.index = 0, .count = 2}),
                    second = objective.loss({.index = 1, .count = 2});
  EXPECT_EQ(first.weight, 1);
  EXPECT_EQ(second.weight, 3);
  EXPECT_EQ(whole.tokens, 6);
  EXPECT_NEAR(whole.mean.value().item(), (first.mean.value().item() + 3 * second.mean.value().item()) / 4,
              1e-6);
  EXPECT_FALSE(objective.evaluate());
  EXPECT_FALSE(objective.loss({.index = 0, .count = 3}).mean) << "two samples, three micro-batches";
}

TEST(ModelObjective, AHeadWithoutALossIsAnError) {
  const ListedSamples samples = listed({{.ids = {1}, .targets = {1}}});
  const Model model(small(ModelKind::encoder, HeadKind::embedding));
  expect_error(Fault::data, {"embedding"}, [&] { ModelObjective(model, samples, nullptr, {}); });
}

}  // namespace
}  // namespace locus
