// Runs that start from a copy of a golden model folder. A test may change the copy before training.
#pragma once

#include <gtest/gtest.h>

#include "locus/checkpoint/forward.h"
#include "locus/train/metrics.h"
#include "locus/train/model_objective.h"
#include "locus/train/run_plan.h"
#include "tests/checkpoint/folder_of.h"
#include "tests/program.h"

namespace locus {

class HubRun : public ::testing::Test {
 protected:
  explicit HubRun(const std::string& family = "bert") : model(family) {}
  // A WordPiece vocabulary of letters.
  void add_letters() const {
    put(model / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\nf\n");
  }
  void config(const std::string& from, const std::string& more) const {
    put(folder / "run.toml", "[model]\nfrom = '" + from + "'\n" + more);
  }
  RunPlan plan() const { return plan_run(Settings::read(folder / "run.toml"), folder.path()); }
  Outcome train(const std::string& more = "") const {
    return run_program("train " + (folder / "run.toml").string() + " --out " + (folder / "out").string() +
                       " " + more);
  }
  void expect_trained(const std::string& more = "") const {
    const Outcome outcome = train(more);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(names(outcome.out, "out/hub")) << outcome.out;
    const Metrics metrics = read_metrics(folder / "out" / "metrics.jsonl");
    EXPECT_LT(metrics.steps.back().loss, 0.7 * metrics.steps.front().loss);
  }
  // The output of a command, which must be the same for the run and for the folder that it exported.
  void expect_output(const std::string& command, const std::string& texts,
                     const std::string& expected) const {
    for (const char* place : {"out", "out/hub"}) {
      const Outcome outcome = run_program(command + " " + (folder / place).string() + " " + texts);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(outcome.out, expected) << place;
    }
  }
  void expect_refused(Fault fault, Code code, std::initializer_list<const char*> values) const {
    expect_error(fault, code, values, [&] { plan(); });
  }
  void expect_refused(Fault fault, std::initializer_list<const char*> values) const {
    expect_error(fault, values, [&] { plan(); });
  }
  // The planned samples have the same loss as forward() with the inputs under the names of transformers.
  static void expect_loss_of_forward(RunPlan planned, int64_t count, const ForwardInputs& inputs) {
    std::vector<Sample> samples;
    for (int64_t i = 0; i < count; ++i) samples.push_back(planned.training->at(i, 0));
    const double trained = batch_loss(planned.start->model, samples, {}).mean.value().item();
    const NoGrad guard;
    double loss = 0;
    for (const auto& [name, value] : forward(*planned.start, inputs, false)) {
      if (name == "loss") loss = value.item();
    }
    EXPECT_NEAR(loss, trained, 2e-6 * trained) << "the same terms, summed in another order";
  }
  const FolderOf model;
  const TemporaryFolder folder;
};

}  // namespace locus
