// Training with activations in bf16: the steps of f32 up to rounding, and the promises of training in f32.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/scheme/scheme.h"
#include "locus/train/model_objective.h"
#include "locus/train/planned_run.h"
#include "locus/train/text_samples.h"
#include "locus/train/trainer.h"
#include "tests/expect_error.h"
#include "tests/other_device.h"
#include "tests/temporary_folder.h"

namespace locus::testing::in_bf16 {
namespace {

const std::vector<Sample> kTexts = {{.ids = {1, 2, 3, 4, 7, 8}, .targets = {2, 3, 4, 7, 8, 0}},
                                    {.ids = {5, 4, 3}, .targets = {4, 3, 6}}};

Model made(std::string_view scheme, Device device = Device::cpu, float dropout = 0) {
  return Model({.kind = ModelKind::decoder,
                .vocabulary = 12,
                .width = 16,
                .layers = 2,
                .max_length = 16,
                .scheme = std::string(scheme),
                .attention = {.heads = 2, .dropout = dropout},
                .dropout = dropout,
                .head = {.kind = HeadKind::next_token},
                .init_std = 0.2f},
               {.device = device});
}

struct Step {
  double loss = 0;
  std::vector<double> gradient;  // of all parameters
};

Step step_of(std::string_view scheme, Device device, bool bf16, bool recompute = false) {
  const Model model = made(scheme, device);
  const BatchLoss loss = batch_loss(model, kTexts, {.training = true, .recompute = recompute, .bf16 = bf16});
  EXPECT_EQ(loss.mean.value().dtype(), DType::f32);
  loss.mean.backward();
  Step step{loss.mean.value().on_host().item(), {}};
  for (const NamedParameter& parameter : model.parameters().all()) {
    if (!parameter.var.grad()) continue;
    EXPECT_EQ(parameter.var.grad().dtype(), DType::f32) << parameter.name;
    for (const float value : parameter.var.grad().on_host().values()) step.gradient.push_back(value);
  }
  return step;
}

// The norm of a - b relative to that of b.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double between = 0, all = 0;
  for (size_t i = 0; i < b.size(); ++i) between += (a[i] - b[i]) * (a[i] - b[i]), all += b[i] * b[i];
  return std::sqrt(between / all);
}

// A step passes through some thirty roundings, each by at most 2^-8 and in random directions: 2^-8 sqrt(30)
// is 0.02. On the reference, only those differ that fall on the other side of a tie.
TEST(TrainingInBf16, AStepOfEverySchemeIsThatOfF32UpToRounding) {
  for (const SchemeInfo* info : schemes()) {
    SCOPED_TRACE(info->name);
    const Step f32 = step_of(info->name, Device::cpu, false), got = step_of(info->name, Device::cpu, true);
    EXPECT_NEAR(got.loss, f32.loss, 0.01 * f32.loss);
    EXPECT_NE(got.loss, f32.loss);
    EXPECT_LT(distance(got.gradient, f32.gradient), 0.02);
    const Step exact = step_of(info->name, Device::reference, true);
    EXPECT_NEAR(got.loss, exact.loss, 0.002 * exact.loss);
    EXPECT_LT(distance(got.gradient, exact.gradient), 0.01);
  }
}

TEST(TrainingInBf16OnADevice, AStepOfEverySchemeIsThatOfTheReference) {
  for (const SchemeInfo* info : schemes()) {
    SCOPED_TRACE(info->name);
    const Step got = step_of(info->name, other_device(), true),
               exact = step_of(info->name, Device::reference, true);
    EXPECT_NEAR(got.loss, exact.loss, 0.002 * exact.loss);
    EXPECT_LT(distance(got.gradient, exact.gradient), 0.01);
  }
}

TEST(TrainingInBf16, RecomputedLayersHaveTheSameBits) {
  const Step kept = step_of("rotary", Device::cpu, true), again = step_of("rotary", Device::cpu, true, true);
  EXPECT_EQ(again.loss, kept.loss);
  EXPECT_EQ(again.gradient, kept.gradient);
}

struct Outcome {
  std::vector<double> losses;
  std::map<std::string, std::vector<float>> weights;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Trains six steps, interrupted after each of `stops`.
Outcome trained(std::string_view scheme, Device device, const std::vector<size_t>& stops = {}) {
  const TemporaryFolder place(in_memory());
  const ListedSamples samples(kTexts, "the list");
  Outcome outcome;
  for (size_t run = 0; run <= stops.size(); ++run) {
    RunFolder folder(place.path());
    Model model = made(scheme, device, 0.1f);
    ModelObjective objective(model, samples, &samples, {.batches = {.batch_size = 2}, .bf16 = true});
    train({.objective = objective,
           .parameters = model.parameters(),
           .folder = &folder,
           .settings = {.steps = 6, .micro_batches = 2, .shards = 2, .learning_rate = 0.02},
           .hooks = {.progress = [&](const TrainProgress& p) { outcome.losses.push_back(p.last.loss); },
                     .stop = [&] { return run < stops.size() && outcome.losses.size() == stops[run]; }}});
    for (const NamedParameter& parameter : model.parameters().all()) {
      EXPECT_EQ(parameter.var.value().dtype(), DType::f32);
      outcome.weights[parameter.name] = parameter.var.value().on_host().values();
    }
  }
  return outcome;
}

// On a GPU, too.
TEST(TrainingInBf16OnADevice, HasTheSameBitsInterrupted) {
  for (const char* scheme : {"rotary", "learned+t5", "deberta"}) {
    SCOPED_TRACE(scheme);
    const Outcome one = trained(scheme, other_device());
    EXPECT_LT(one.losses.back(), one.losses.front());
    EXPECT_EQ(trained(scheme, other_device()), one);
    EXPECT_EQ(trained(scheme, other_device(), {2, 5}), one);
  }
}

TEST(TrainingInBf16, HasTheSameBitsOnAnyThreadsInterruptedAndFenced) {
  const int before = threads();
  for (const char* scheme : {"rotary", "learned+t5", "deberta", "fire"}) {
    SCOPED_TRACE(scheme);
    set_threads(1);
    const Outcome one = trained(scheme, Device::cpu);
    EXPECT_LT(one.losses.back(), one.losses.front());
    set_threads(3);
    EXPECT_EQ(trained(scheme, Device::cpu), one);
    EXPECT_EQ(trained(scheme, Device::cpu, {2, 5}), one);
    EXPECT_EQ(trained(scheme, Device::fenced), one);
  }
  set_threads(before);
}

class ConfiguredBf16 : public ::testing::Test {
 protected:
  ConfiguredBf16() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcdefgh";
    write_file(folder / "x.txt", text);
  }
  RunPlan plan(const std::string& train) const {
    return plan_run(
        Settings::parse("[model]\nwidth = 16\nlayers = 1\nheads = 2\n[data]\ntrain = 'x.txt'\ncontext = 16\n"
                        "batch_size = 4\n[train]\nsteps = 4\n" +
                            train,
                        "config"),
        folder.path());
  }
  TemporaryFolder folder{in_memory()};
};

TEST_F(ConfiguredBf16, OtherFormatsAreRefused) {
  expect_error(Fault::usage, {"dtype", "f16", "f32", "bf16"}, [&] { plan("dtype = 'f16'\n"); });
}

TEST_F(ConfiguredBf16, ARunDoesNotResumeInAnotherFormat) {
  const auto weights = [&](const std::string& train) {
    PlannedRun run(plan(train), folder / "run");
    run.train({.stop = [] { return true; }});
    return run.model().parameters().at("tokens").value().values();
  };
  const auto rounded = weights("dtype = 'bf16'\n");
  expect_error(Fault::usage, {"train.dtype", "bf16", "f32"}, [&] { weights(""); });
  std::filesystem::remove_all(folder / "run");
  EXPECT_NE(weights(""), rounded);
}

}  // namespace
}  // namespace locus::testing::in_bf16
