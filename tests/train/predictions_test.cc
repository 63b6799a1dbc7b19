#include "locus/train/predictions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/train/model_objective.h"
#include "locus/train/tally.h"
#include "locus/train/text_samples.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<Prediction> predictions(const Model& model, const Samples& samples) {
  std::vector<Prediction> all;
  each_prediction(model, samples, [&](const Prediction& one) { all.push_back(one); });
  return all;
}

double number(const std::vector<NamedNumber>& numbers, const std::string& name) {
  for (const auto& [each, value] : numbers) {
    if (each == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Predictions, OneForEachTargetWithTheLossOfTraining) {
  const std::vector<Sample> list = {{.ids = {1, 2, 3}, .targets = {2, kernel::kIgnoredTarget, 4}},
                                    {.ids = {4}, .targets = {1}}};
  for (const HeadKind head : {HeadKind::masked_token, HeadKind::token_class}) {
    const Model model({.kind = ModelKind::encoder,
                       .vocabulary = 6,
                       .width = 8,
                       .scheme = "sinusoidal",
                       .attention = {.heads = 2},
                       .head = {.kind = head, .labels = 6},
                       .init_std = 0.5f});
    const std::vector<Prediction> found = predictions(model, ListedSamples(list, "list"));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[1].sample, 0);
    EXPECT_EQ(found[1].position, 2);
    EXPECT_EQ(found[1].length, 3);
    EXPECT_EQ(found[2].sample, 1);
    EXPECT_EQ(found[2].target, 1);
    // The kernel's softmax is f32.
    EXPECT_NEAR(tally(model, ListedSamples(list, "list")).loss(),
                batch_loss(model, list, {}).mean.value().item(), 1e-5);
  }
}

TEST(Predictions, ManySamplesAreTakenInBatches) {
  std::vector<Sample> list;
  for (int32_t i = 0; i < 700; ++i)
    list.push_back({.ids = std::vector<int32_t>(10, i % 6), .targets = {i % 2}});
  const Model model({.kind = ModelKind::encoder,
                     .vocabulary = 6,
                     .width = 8,
                     .attention = {.heads = 2},
                     .head = {.kind = HeadKind::sequence_class}});
  const std::vector<Prediction> found = predictions(model, ListedSamples(list, "list"));
  ASSERT_EQ(found.size(), 700u);
  for (int64_t i = 0; i < 700; ++i) {
    EXPECT_EQ(found[static_cast<size_t>(i)].sample, i);
    EXPECT_EQ(found[static_cast<size_t>(i)].target, i % 2);
  }
}

TEST(Predictions, SamplesWithoutATargetAreAnError) {
  const Model model({.kind = ModelKind::encoder,
                     .vocabulary = 6,
                     .width = 8,
                     .attention = {.heads = 2},
                     .head = {.kind = HeadKind::masked_token}});
  expect_error(Fault::data, {"the list"}, [&] {
    predictions(model, ListedSamples({{.ids = {1}, .targets = {kernel::kIgnoredTarget}}}, "the list"));
  });
}

const std::vector<Prediction> kFour = {{.sample = 0, .target = 0, .predicted = 0, .loss = 0.1},
                                       {.sample = 0, .target = 1, .predicted = 1, .loss = 0.2},
                                       {.sample = 1, .target = 1, .predicted = 0, .loss = 0.7},
                                       {.sample = 1, .target = 1, .predicted = 1, .loss = 0.4}};

std::vector<NamedNumber> summary(const Blueprint& blueprint) {
  Tally all(blueprint);
  for (const Prediction& one : kFour) all.add(one);
  return all.numbers();
}

TEST(Summary, OfSamplesThatAreAddedApart) {
  const Blueprint blueprint = {.kind = ModelKind::encoder_decoder,
                               .head = {.kind = HeadKind::sequence_class}};
  Tally all(blueprint), rest(blueprint);
  for (size_t i = 0; i < 4; ++i) (i < 2 ? all : rest).add(kFour[i]);
  all.add(rest);
  EXPECT_EQ(all.targets(), 4);
  for (const auto& [name, value] : summary(blueprint)) {
    EXPECT_NEAR(number(all.numbers(), name), value, 1e-12) << name;
  }
}

TEST(Summary, OfLabels) {
  const auto numbers = summary({.kind = ModelKind::encoder, .head = {.kind = HeadKind::token_class}});
  EXPECT_NEAR(number(numbers, "loss"), 0.35, 1e-12);
  EXPECT_EQ(number(numbers, "accuracy"), 0.75);
  // Label 0: predicted twice, correct once. Label 1: expected three times, predicted and correct twice.
  EXPECT_NEAR(number(numbers, "f1"), (2.0 / 3 + 4.0 / 5) / 2, 1e-12);
}

TEST(Summary, OfTranslationsAndAnswers) {
  const auto pairs = summary({.kind = ModelKind::encoder_decoder});
  EXPECT_EQ(number(pairs, "exact_match"), 0.5);
  EXPECT_NEAR(number(pairs, "perplexity"), std::exp(0.35), 1e-12);
  const auto labels =
      summary({.kind = ModelKind::encoder_decoder, .head = {.kind = HeadKind::sequence_class}});
  EXPECT_EQ(labels.back().first, "f1");
  EXPECT_EQ(labels.size(), 3) << "loss, accuracy and f1";
  const auto answers = summary({.kind = ModelKind::encoder, .head = {.kind = HeadKind::answer}});
  EXPECT_EQ(number(answers, "accuracy"), 0.5) << "both ends right";
}

}  // namespace
}  // namespace locus
