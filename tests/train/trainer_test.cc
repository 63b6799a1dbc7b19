#include "locus/train/trainer.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/train/metrics.h"
#include "locus/train/run_changes.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/train/trainee.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using testing::Trainee;
using testing::trainee_settings;

struct Attempt {
  Trainee trainee;
  std::vector<std::string> notes;
  std::vector<TrainProgress> progress;
  int64_t stop_at = 0;
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<Continuation> continuation;

  int64_t in(const fs::path& path, const TrainSettings& settings, const char* config = "a = 1\n") {
    RunFolder folder(path);
    return train(
        {.objective = trainee,
         .parameters = trainee.parameters,
         .folder = &folder,
         .settings = settings,
         .config = Settings::parse(config, "config"),
         .files = files,
         .continuation = continuation,
         .hooks = {.progress = [&](const TrainProgress& p) { progress.push_back(p); },
                   .stop = [&] { return !progress.empty() && progress.back().last.step + 1 == stop_at; },
                   .note = [&](const std::string& text) { notes.push_back(text); }}});
  }
};

std::vector<float> values_in(const fs::path& path, const char* name = "first.weight") {
  return SafetensorsFile(path / "last/model.safetensors").read(name).values();
}

TEST(Trainer, LearnsAndReports) {
  const TemporaryFolder folder(in_memory());
  Attempt run;
  EXPECT_EQ(run.in(folder.path(), trainee_settings(60)), 60);
  ASSERT_EQ(run.progress.size(), 60u);
  EXPECT_LT(run.progress.back().last.loss, 0.5 * run.progress.front().last.loss);
  const TrainProgress& last = run.progress.back();
  EXPECT_EQ(last.last.step, 60);
  EXPECT_EQ(last.steps, 60);
  EXPECT_EQ(last.last.tokens, Trainee::kSamples);
  EXPECT_GT(last.tokens_per_second, 0);
  EXPECT_EQ(last.seconds_left, 0);
  EXPECT_TRUE(last.validation);
  EXPECT_FALSE(run.progress[8].validation);
  EXPECT_TRUE(run.progress[9].validation);
  const Metrics metrics = read_metrics(folder / "metrics.jsonl");
  ASSERT_EQ(metrics.steps.size(), 60u);
  EXPECT_EQ(static_cast<float>(metrics.steps[20].loss), static_cast<float>(run.progress[20].last.loss));
  ASSERT_EQ(metrics.validations.size(), 6u);
  EXPECT_EQ(metrics.validations[1].step, 20);
  EXPECT_EQ(metrics.validations[1].more, (std::vector<NamedNumber>{{"accuracy", 0.5}}));
  EXPECT_EQ(read_state(folder / "last").step, 60);
  EXPECT_EQ(read_state(folder / "best").best_step, read_state(folder / "best").step);
}

TEST(Trainer, MicroBatchesChangeOnlyRounding) {
  const TemporaryFolder one(in_memory()), four(in_memory());
  TrainSettings settings = trainee_settings(1);
  settings.micro_batches = 1;
  Attempt whole, cut;
  whole.trainee.shaking = cut.trainee.shaking = 0;
  whole.in(one.path(), settings);
  settings.micro_batches = 4;
  cut.in(four.path(), settings);
  // Sums of 32 terms, in another order.
  EXPECT_NEAR(whole.progress[0].last.loss, cut.progress[0].last.loss, 1e-6);
  EXPECT_NEAR(whole.progress[0].last.norm, cut.progress[0].last.norm, 1e-5);
}

TEST(Trainer, ShardsChangeOnlyRounding) {
  const TemporaryFolder one(in_memory()), four(in_memory());
  TrainSettings settings = trainee_settings(1);
  Attempt whole, cut;
  whole.trainee.shaking = cut.trainee.shaking = 0;
  whole.in(one.path(), settings);
  settings.shards = 4;
  cut.in(four.path(), settings);
  EXPECT_NEAR(whole.progress[0].last.loss, cut.progress[0].last.loss, 1e-6);
  EXPECT_NEAR(whole.progress[0].last.norm, cut.progress[0].last.norm, 1e-5);
  EXPECT_EQ(whole.progress[0].last.tokens, cut.progress[0].last.tokens);
}

// With any number of threads, and when the run is stopped and resumed.
TEST(Trainer, ShardsGiveTheSameBits) {
  const int threads_before = threads();
  for (const int64_t micro_batches : {1, 3}) {
    const TemporaryFolder straight(in_memory()), stopped(in_memory());
    TrainSettings settings = trainee_settings(9);
    settings.shards = 4;
    settings.micro_batches = micro_batches;
    Attempt whole, first, second;
    set_threads(1);
    whole.in(straight.path(), settings);
    first.stop_at = 4;
    set_threads(3);
    first.in(stopped.path(), settings);
    set_threads(2);
    second.in(stopped.path(), settings);
    for (const char* const file : {"last/model.safetensors", "last/optimizer.safetensors"}) {
      EXPECT_EQ(read_file(stopped / file), read_file(straight / file)) << file;
    }
  }
  set_threads(threads_before);
}

TEST(Trainer, AStoppedRunResumesAndEndsTheSame) {
  const TemporaryFolder straight(in_memory()), stopped(in_memory());
  Attempt whole, first, second, third;
  whole.in(straight.path(), trainee_settings(20));
  first.stop_at = 8;
  EXPECT_EQ(first.in(stopped.path(), trainee_settings(20)), 8);
  EXPECT_EQ(read_state(stopped / "last").step, 8);
  const int threads_before = threads();
  set_threads(3);
  EXPECT_EQ(second.in(stopped.path(), trainee_settings(20)), 20);
  set_threads(threads_before);
  EXPECT_EQ(second.progress.front().last.step, 9);
  for (const char* name : {"first.weight", "first.bias", "second.weight"}) {
    EXPECT_EQ(values_in(stopped.path(), name), values_in(straight.path(), name));
  }
  EXPECT_EQ(third.in(stopped.path(), trainee_settings(20)), 20) << "finished already";
  EXPECT_TRUE(third.progress.empty());
}

TEST(Trainer, AnotherConfigurationIsAnErrorThatListsTheDifferences) {
  const TemporaryFolder folder(in_memory());
  Attempt run, other;
  run.in(folder.path(), trainee_settings(3));
  expect_error(Fault::usage, Code::run_mismatch, {folder.path().c_str(), "a: '2'", "'1'", "b: 'x'"},
               [&] { other.in(folder.path(), trainee_settings(3), "a = 2\nb = \"x\"\n"); });
}

TEST(Trainer, OtherFilesAreAnError) {
  const TemporaryFolder folder(in_memory());
  Attempt run, again, other, more;
  run.files = again.files = {{"labels.json", "a b"}};
  run.in(folder.path(), trainee_settings(3));
  again.in(folder.path(), trainee_settings(3));
  other.files = {{"labels.json", "a c"}};
  more.files = {{"labels.json", "a b"}, {"words.txt", ""}};
  expect_error(Fault::usage, Code::run_mismatch, {folder.path().c_str(), "labels.json"},
               [&] { other.in(folder.path(), trainee_settings(3)); });
  expect_error(Fault::usage, Code::run_mismatch, {folder.path().c_str(), "words.txt"},
               [&] { more.in(folder.path(), trainee_settings(3)); });
}

TEST(Trainer, FrozenParametersKeepTheirBitsAlsoWhenTheRunResumes) {
  const TemporaryFolder folder(in_memory()), straight(in_memory());
  const std::vector<float> before = Trainee().parameters.at("first.weight").value().values();
  TrainSettings settings = trainee_settings(12);
  settings.frozen = "first.*";
  Attempt first, second, whole;
  first.stop_at = 5;
  first.in(folder.path(), settings);
  second.in(folder.path(), settings);
  whole.in(straight.path(), settings);
  EXPECT_EQ(values_in(folder.path()), before);
  EXPECT_EQ(values_in(folder.path(), "second.weight"), values_in(straight.path(), "second.weight"));
  EXPECT_NE(values_in(folder.path(), "second.weight"),
            Trainee().parameters.at("second.weight").value().values());
  EXPECT_EQ(SafetensorsFile(folder / "last/optimizer.safetensors").entries().size(), 2u)
      << "no moments of frozen parameters";
}

TEST(Trainer, PatternsThatFreezeNothingOrEverythingAreErrors) {
  const TemporaryFolder folder(in_memory());
  TrainSettings settings = trainee_settings(2);
  settings.frozen = "first.*, third.*";
  expect_error(Fault::usage, Code::unknown_option, {"train.frozen", "'third.*'"},
               [&] { Attempt().in(folder.path(), settings); });
  settings.frozen = "first.*, sec*";
  expect_error(Fault::usage, {"train.frozen", "'first.*, sec*'", "3"},
               [&] { Attempt().in(folder.path(), settings); });
}

constexpr const char *kSixSteps = "[train]\nsteps = 6\n", *kTwelveSteps = "[train]\nsteps = 12\n";

TEST(Trainer, AContinuedRunEqualsALongerOne) {
  const TemporaryFolder longer(in_memory()), begun(in_memory()), fresh(in_memory());
  TrainSettings six = trainee_settings(6), twelve = trainee_settings(12);
  six.schedule = twelve.schedule = Schedule::Shape::constant;
  Attempt whole, begin, other;
  whole.in(longer.path(), twelve, kTwelveSteps);
  begin.in(begun.path(), six, kSixSteps);
  other.continuation = {.checkpoint = begun / "last", .metrics = begun / "metrics.jsonl"};
  EXPECT_EQ(other.in(fresh.path(), twelve, kTwelveSteps), 12);
  EXPECT_EQ(read_state(begun / "last").step, 6) << "the other folder does not change";
  Attempt in_place;
  in_place.continuation.emplace();
  EXPECT_EQ(in_place.in(begun.path(), twelve, kTwelveSteps), 12);
  EXPECT_EQ(in_place.progress.front().last.step, 7);
  for (const TemporaryFolder* folder : {&begun, &fresh}) {
    for (const char* file : {"last/model.safetensors", "last/optimizer.safetensors"}) {
      EXPECT_EQ(read_file(*folder / file), read_file(longer / file)) << file;
    }
    EXPECT_EQ(read_metrics(*folder / "metrics.jsonl").steps.size(), 12u);
    EXPECT_EQ(read_changes(*folder / "last"),
              (std::vector<RunChange>{{.step = 6, .setting = "train.steps", .before = "6", .after = "12"}}));
  }
  EXPECT_TRUE(read_changes(longer / "last").empty());
  EXPECT_EQ(in_place.notes.size(), 1u);
}

TEST(Trainer, ChangesAreKeptAndMayFollowEachOther) {
  const TemporaryFolder folder(in_memory());
  Attempt().in(folder.path(), trainee_settings(3), "[train]\nsteps = 3\n");
  for (const int64_t steps : {6, 9}) {
    Attempt next;
    next.continuation.emplace();
    next.in(folder.path(), trainee_settings(steps), fmt::format("[train]\nsteps = {}\n", steps).c_str());
  }
  const std::vector<RunChange> changes = read_changes(folder / "last");
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[1], (RunChange{.step = 6, .setting = "train.steps", .before = "6", .after = "9"}));
}

TEST(Trainer, OtherDataStartTheBestCheckpointAgain) {
  const TemporaryFolder folder(in_memory());
  Attempt begin, more, labels;
  begin.files = {{"data.txt", "one\n"}, {"labels.json", "a"}};
  begin.in(folder.path(), trainee_settings(10));
  ASSERT_EQ(read_state(folder / "last").best_step, 10);
  more.files = {{"data.txt", "two\n"}, {"labels.json", "a"}};
  more.continuation = {.data_files = {"data.txt"}};
  more.in(folder.path(), trainee_settings(13), "a = 1\n");
  EXPECT_EQ(read_state(folder / "last").best_step, 13);
  EXPECT_EQ(read_changes(folder / "last"),
            (std::vector<RunChange>{{.step = 10, .setting = "data.txt", .before = "one", .after = "two"}}));
  labels.files = {{"data.txt", "two\n"}, {"labels.json", "b"}};
  labels.continuation = {.data_files = {"data.txt"}};
  expect_error(Fault::usage, {"labels.json"},
               [&] { labels.in(folder.path(), trainee_settings(20), "a = 2\n"); });
}

TEST(Trainer, FewerStepsThanDoneAreAnErrorAlsoWhenARunIsContinued) {
  const TemporaryFolder folder(in_memory());
  Attempt().in(folder.path(), trainee_settings(3), "[train]\nsteps = 3\n");
  Attempt fewer;
  fewer.continuation.emplace();
  expect_error(Fault::usage, {"train.steps is 2", "3"},
               [&] { fewer.in(folder.path(), trainee_settings(2), "[train]\nsteps = 2\n"); });
}

// Moments of parameters that were frozen until now begin at 0, with their own bias correction.
TEST(Trainer, ParametersMayBeUnfrozenWhenARunIsContinued) {
  const TemporaryFolder folder(in_memory()), straight(in_memory());
  TrainSettings settings = trainee_settings(6);
  settings.frozen = "first.*";
  Attempt().in(folder.path(), settings, "[train]\nfrozen = \"first.*\"\n");
  const std::vector<float> frozen = values_in(folder.path());
  settings.frozen.clear();
  settings.steps = 7;
  settings.learning_rate = 0.001;
  settings.warmup = 0;
  settings.schedule = Schedule::Shape::constant;
  settings.adamw.weight_decay = 0;
  for (const int64_t steps : {7, 8, 9}) {  // the second time, the checkpoint has their beginning
    settings.steps = steps;
    Attempt next;
    next.continuation.emplace();
    next.in(folder.path(), settings, fmt::format("[train]\nsteps = {}\n", steps).c_str());
    if (steps > 7) continue;
    const std::vector<float> now = values_in(folder.path());
    for (size_t i = 0; i < now.size(); ++i) {
      EXPECT_NEAR(std::abs(now[i] - frozen[i]), 0.001, 2e-5) << "the first step of Adam is the learning rate";
    }
  }
  EXPECT_EQ(read_state(folder / "last").step, 9);
}

TEST(Trainer, ACheckpointPastTheLastStepIsAnError) {
  const TemporaryFolder folder(in_memory());
  Attempt run, again;
  run.in(folder.path(), trainee_settings(3));
  expect_error(Fault::data, {"state.toml", "step is 3", "2"},
               [&] { again.in(folder.path(), trainee_settings(2)); });
}

// The validation of step 4 returns NaN, or damages the model.
class LostTrainee final : public Trainee {
 public:
  explicit LostTrainee(bool returns_nan) : returns_nan_(returns_nan) {}
  std::optional<Validation> evaluate() override {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    if (++times_ < 2) return std::nullopt;
    if (returns_nan_) return Validation{.loss = nan};
    parameters.at("first.bias").value().data<float>()[7] = nan;
    return std::nullopt;
  }

 private:
  bool returns_nan_;
  int times_ = 0;
};

TEST(Trainer, AModelThatIsNotFiniteIsNeverSaved) {
  for (const bool returns_nan : {false, true}) {
    const TemporaryFolder place(in_memory());
    RunFolder folder(place.path());
    LostTrainee trainee(returns_nan);
    TrainSettings settings = trainee_settings(4);
    settings.eval_every = settings.save_every = 2;
    expect_error(Fault::diverged, {"step 4", returns_nan ? "nan" : "first.bias", (place / "last").c_str()},
                 [&] {
                   train({.objective = trainee,
                          .parameters = trainee.parameters,
                          .folder = &folder,
                          .settings = settings});
                 });
    EXPECT_EQ(read_state(place / "last").step, 2);
  }
}

TEST(Trainer, ANanLossStopsAndKeepsTheLastCheckpoint) {
  const TemporaryFolder folder(in_memory()), fresh(in_memory());
  Attempt run, early;
  run.trainee.nan_at = 9;
  expect_error(Fault::diverged, {"step 9", "nan", (folder / "last").c_str()},
               [&] { run.in(folder.path(), trainee_settings(20)); });
  EXPECT_EQ(read_state(folder / "last").step, 6);
  early.trainee.nan_at = 1;
  expect_error(Fault::diverged, {"step 1", "nan"}, [&] { early.in(fresh.path(), trainee_settings(20)); });
}

TEST(Trainer, ADamagedCheckpointIsNotedAndTheRunEndsTheSame) {
  const TemporaryFolder straight(in_memory()), damaged(in_memory());
  Attempt whole, first, second;
  whole.in(straight.path(), trainee_settings(20));
  first.stop_at = 8;
  first.in(damaged.path(), trainee_settings(20));
  write_file(damaged / "last/model.safetensors", "nothing");
  second.in(damaged.path(), trainee_settings(20));
  ASSERT_EQ(second.notes.size(), 1u);
  EXPECT_EQ(second.progress.front().last.step, 7);
  EXPECT_EQ(values_in(damaged.path()), values_in(straight.path()));
  EXPECT_EQ(read_metrics(damaged / "metrics.jsonl").steps.size(), 20u);
}

TEST(Trainer, LostMetricsAreNoted) {
  const TemporaryFolder folder(in_memory());
  Attempt first, second;
  first.stop_at = 8;
  first.in(folder.path(), trainee_settings(20));
  fs::remove(folder / "metrics.jsonl");
  second.in(folder.path(), trainee_settings(20));
  ASSERT_EQ(second.notes.size(), 1u);
  EXPECT_TRUE(names(second.notes[0], "metrics.jsonl") && names(second.notes[0], "step 8")) << second.notes[0];
}

TEST(Metrics, InvalidLinesAreErrorsExceptAnIncompleteLastLine) {
  const TemporaryFolder folder(in_memory());
  write_file(folder / "m", "{\"step\": 1, \"loss\": null}\n{\"step\": 2, \"lo");
  const Metrics metrics = read_metrics(folder / "m");
  ASSERT_EQ(metrics.steps.size(), 1u);
  EXPECT_TRUE(std::isnan(metrics.steps[0].loss));
  write_file(folder / "m", "{\"step\": 1}\nx\n{\"step\": 2}\n");
  expect_error(Fault::data, {"m:2", "JSON"}, [&] { read_metrics(folder / "m"); });
  write_file(folder / "m", "[]\n");
  expect_error(Fault::data, {"m:1", "JSON object"}, [&] { read_metrics(folder / "m"); });
  write_file(folder / "m", "{\"step\": 0}\n");
  expect_error(Fault::data, {"m:1", "step"}, [&] { read_metrics(folder / "m"); });
}

TEST(Trainer, AStepWithoutATargetIsAFaultOfTheData) {
  class Nothing final : public Objective {
    PartialLoss loss(const MicroBatch&) override { return {.tokens = 3}; }
    std::optional<Validation> evaluate() override { return std::nullopt; }
  } nothing;
  const TemporaryFolder place(in_memory());
  RunFolder folder(place.path());
  Parameters parameters;
  parameters.add("weight", Tensor::zeros({2, 2}), Role::matrix);
  expect_error(Fault::data, {"step 1", "6 tokens"}, [&] {
    train({.objective = nothing,
           .parameters = parameters,
           .folder = &folder,
           .settings = {.steps = 2, .micro_batches = 2}});
  });
  EXPECT_EQ(parameters.at("weight").value().values(), std::vector<float>(4, 0.f));
}

}  // namespace
}  // namespace locus
