// Training on a device whose memory the host cannot read: the results of the CPU, and one wait for every
// step.
#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "locus/tensor/queue.h"
#include "locus/tensor/storage.h"
#include "locus/train/evaluation.h"
#include "locus/train/model_objective.h"
#include "locus/train/planned_run.h"
#include "locus/train/text_samples.h"
#include "locus/train/trainer.h"
#include "tests/apply/expected.h"
#include "tests/other_device.h"
#include "tests/temporary_folder.h"

namespace locus::testing {
namespace {

struct Case {
  ModelKind kind;
  HeadKind head;
  std::string scheme;
  bool recompute = false;
};

struct Outcome {
  std::vector<double> losses, norms;
  std::map<std::string, std::vector<float>> weights;
  std::vector<int64_t> waits;  // of the host up to the end of each step
};

constexpr int32_t kNoTarget = kernel::kIgnoredTarget;

ListedSamples samples_for(const Case& c) {
  const HeadKind head = c.head;
  if (c.kind == ModelKind::encoder_decoder) {
    return {{{.ids = {0, 3, 2, 1}, .targets = {3, 2, 1, 0}, .text = {1, 2, 3}},
             {.ids = {0, 4, 5}, .targets = {4, 5, 0}, .text = {5, 4}}},
            "the list"};
  }
  if (head == HeadKind::masked_token) {
    return {{{.ids = {1, 11, 3}, .targets = {kNoTarget, 2, kNoTarget}},
             {.ids = {4, 11}, .targets = {kNoTarget, 5}}},
            "the list"};
  }
  if (head == HeadKind::answer) {
    return {{{.ids = {1, 2, 3, 4}, .targets = {1, 2}}, {.ids = {4, 3, 2}, .targets = {0, 0}}}, "the list"};
  }
  if (head == HeadKind::sequence_class) {
    return {{{.ids = {1, 2, 3, 4}, .targets = {0}}, {.ids = {5, 4, 3}, .targets = {2}}}, "the list"};
  }
  return {{{.ids = {1, 2, 3, 4}, .targets = {1, 2, 0, 1}}, {.ids = {5, 4, 3}, .targets = {2, 1, 0}}},
          "the list"};
}

// Stops after these steps, and resumes to train to the next ones.
Outcome trained(const Case& c, Device device, const std::vector<int64_t>& stops = {3, 6}) {
  const TemporaryFolder place(in_memory());
  const ListedSamples samples = samples_for(c);
  Outcome outcome;
  for (const int64_t steps : stops) {
    RunFolder folder(place.path());
    Model model({.kind = c.kind,
                 .vocabulary = 12,
                 .width = 16,
                 .layers = 2,
                 .max_length = 16,
                 .scheme = c.scheme,
                 .attention = {.heads = 2, .dropout = 0.1f},
                 .dropout = 0.1f,
                 .head = {.kind = c.head, .labels = 3}},
                {.device = device});
    ModelObjective objective(model, samples, &samples,
                             {.batches = {.batch_size = 2}, .recompute = c.recompute});
    train({.objective = objective,
           .parameters = model.parameters(),
           .folder = &folder,
           .settings = {.steps = 6, .micro_batches = 2, .shards = 2, .learning_rate = 0.02},
           .hooks = {.progress =
                         [&](const TrainProgress& progress) {
                           outcome.losses.push_back(progress.last.loss);
                           outcome.norms.push_back(progress.last.norm);
                           if (progress.validation) outcome.losses.push_back(progress.validation->loss);
                           outcome.waits.push_back(waits(device));
                         },
                     .stop = [&] { return std::ssize(outcome.norms) == steps; }}});
    for (const NamedParameter& parameter : model.parameters().all()) {
      outcome.weights[parameter.name] = parameter.var.value().on_host().values();
    }
  }
  return outcome;
}

// On a GPU the weights are not compared: AdamW divides gradients by their size, so that those which cancel to
// rounding errors, as of a key bias, move a weight as far as any other.
void expect_same_training(const Outcome& got, const Outcome& wanted) {
  EXPECT_EQ(got.norms.size(), 6u);
  if (other_device() == Device::fenced) {
    EXPECT_EQ(got.losses, wanted.losses);
    EXPECT_EQ(got.norms, wanted.norms);
    EXPECT_EQ(got.weights, wanted.weights);
    return;
  }
  ASSERT_EQ(got.losses.size(), wanted.losses.size());
  constexpr double kLoss = 1e-3;
  for (size_t i = 0; i < wanted.losses.size(); ++i) EXPECT_NEAR(got.losses[i], wanted.losses[i], kLoss);
}

TEST(TrainingOnADevice, HasTheResultsOfTheCpu) {
  for (const Case& c : {Case{ModelKind::decoder, HeadKind::next_token, "rotary"},
                        Case{ModelKind::decoder, HeadKind::next_token, "alibi"},
                        Case{ModelKind::decoder, HeadKind::next_token, "t5"},
                        Case{ModelKind::decoder, HeadKind::next_token, "kerple"},
                        Case{ModelKind::decoder, HeadKind::next_token, "fire"},
                        Case{ModelKind::decoder, HeadKind::next_token, "xpos", true},
                        Case{ModelKind::encoder_decoder, HeadKind::next_token, "t5"},
                        Case{ModelKind::encoder, HeadKind::masked_token, "shaw"},
                        Case{ModelKind::encoder, HeadKind::answer, "learned"},
                        Case{ModelKind::encoder, HeadKind::sequence_class, "learned"},
                        Case{ModelKind::encoder, HeadKind::token_class, "deberta"}}) {
    SCOPED_TRACE(c.scheme);
    const Outcome other = trained(c, other_device());
    expect_same_training(other, trained(c, Device::cpu));
    for (const size_t step : {1, 2}) {  // no checkpoint and no validation is before them
      EXPECT_EQ(other.waits[step] - other.waits[step - 1], 1) << "step " << step + 1;
    }
  }
}

// All bits, also on a GPU: of a run that stopped, of one that did not, and of the same run again.
TEST(TrainingOnADevice, ResumesWithTheSameBits) {
  for (const Case& c : {Case{ModelKind::decoder, HeadKind::next_token, "t5"},
                        Case{ModelKind::encoder, HeadKind::masked_token, "deberta"}}) {
    SCOPED_TRACE(c.scheme);
    const Outcome whole = trained(c, other_device(), {6});
    EXPECT_EQ(trained(c, other_device(), {2, 3, 6}).weights, whole.weights);
    EXPECT_EQ(trained(c, other_device(), {6}).weights, whole.weights);
  }
}

// A configuration is trained on the device of its plan. A run resumes on another device, with a note.
TEST(TrainingOnADevice, OfAConfiguration) {
  const TemporaryFolder folder(in_memory());
  std::string text;
  for (int i = 0; i < 60; ++i) text += "abcdefgh";
  write_file(folder / "x.txt", text);
  const auto weights = [&](const std::string& out, Device first, Device second) {
    std::vector<std::string> notes;
    std::map<std::string, std::vector<float>> all;
    for (const auto& [device, last] : {std::pair(first, int64_t{3}), std::pair(second, int64_t{6})}) {
      Settings settings = Settings::parse(
          "[model]\nwidth = 16\nlayers = 1\nheads = 2\n[data]\ntrain = 'x.txt'\ncontext = 16\n"
          "batch_size = 4\n[train]\nsteps = 6\n",
          "config");
      RunPlan plan = plan_run(settings, folder.path());
      plan.train.device = device;
      plan.config.set(kDeviceSetting, device == Device::cpu ? "cpu" : "cuda");
      PlannedRun run(std::move(plan), folder / out);
      EXPECT_EQ(run.model().parameters().device(), device);
      int64_t step = 0;
      run.train({.progress = [&](const TrainProgress& progress) { step = progress.last.step; },
                 .stop = [&] { return step == last; },
                 .note = [&](const std::string& note) { notes.push_back(note); }});
      for (const NamedParameter& parameter : run.model().parameters().all()) {
        all[parameter.name] = parameter.var.value().on_host().values();
      }
    }
    EXPECT_EQ(notes.size(), first == second ? 0u : 1u);
    return all;
  };
  const auto cpu = weights("cpu", Device::cpu, Device::cpu);
  EXPECT_FALSE(cpu.empty());
  const auto other = weights("other", other_device(), other_device()),
             both = weights("both", Device::cpu, other_device());
  if (other_device() == Device::cuda) return;  // see expect_same_training()
  EXPECT_EQ(other, cpu);
  EXPECT_EQ(both, cpu);
}

// Before the model is made, the plan is compared with the memory of its device.
TEST(TrainingOnADevice, IsRefusedIfItNeedsMoreMemoryThanTheDeviceHas) {
  const TemporaryFolder folder(in_memory());
  write_file(folder / "x.txt", std::string(1000, 'a'));
  Settings settings = Settings::parse(
      "[model]\nwidth = 8192\nlayers = 64\nheads = 2\n[data]\ntrain = 'x.txt'\ncontext = 16\nbatch_size = "
      "4\n",
      "config");
  RunPlan plan = plan_run(settings, folder.path());
  plan.train.device = other_device();
  const auto free = static_cast<double>(available_bytes(other_device()));
  try {
    PlannedRun(std::move(plan), folder / "out");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::resource);
    EXPECT_EQ(error.values().back(), fmt::format("{}", free / 1e9)) << error.what();
  }
}

TEST(EvaluationOnADevice, HasTheNumbersOfTheCpu) {
  const TemporaryFolder folder;
  write_file(
      folder / "x.jsonl",
      R"({"question": "who ran", "context": "the dog ran", "answers": {"text": ["the"], "answer_start": [0]}}
{"question": "who", "context": "it ran to the barn", "answers": {"text": [], "answer_start": []}}
)");
  const auto numbers = [&](Device device) {
    return evaluate(TrainedModel(golden_model("answer"), {.device = device}), folder / "x.jsonl").numbers;
  };
  const std::vector<NamedNumber> cpu = numbers(Device::cpu);
  EXPECT_FALSE(cpu.empty());
  expect_same(numbers(other_device()), cpu);
}

}  // namespace
}  // namespace locus::testing
