// What locus train reports before the first step, and what other commands report about a run.
#include <gtest/gtest.h>

#include "tests/cli/train_command.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

TEST_F(TrainCommand, AnAnswerThatFillsTheModelSaysSo) {
  expect_fine(command("--set train.steps=1"));
  const Outcome one = run_program("generate " + out() + " abc --max-tokens 300 --json");
  EXPECT_TRUE(contains(one.out, "\"finish_reason\": \"context\"}")) << one.out;
  expect_values(one.err, {"maximum length", "16 tokens"});
  const Outcome many = run_program("generate " + out() + " abc " + std::string(15, 'x') + " --max-tokens 3");
  expect_values(many.err, {"1 of 2", "16 tokens"});
  EXPECT_FALSE(contains(run_program("generate " + out() + " abc --max-tokens 3").err, "maximum length"));
}

TEST_F(TrainCommand, OtherCommandsNameTheCheckpoint) {
  expect_fine(command("--set train.steps=4 --set train.eval_every=3 --set train.save_every=1"));
  for (const std::string& use :
       {"generate " + out() + " abc", "inspect " + out(), "eval " + out() + " " + (folder / "x.txt").string(),
        "explain 'ab cd ab' --model " + out()}) {
    expect_values(run_program(use).err, {quoted("out"), "checkpoint", "validation loss", "step 4"});
  }
  for (const char* name : {"/best", "/last"}) {
    EXPECT_EQ(run_program("generate " + out() + name + " abc --max-tokens 3").err, "");
  }
  expect_values(expect_fine("eval " + out() + " " + (folder / "x.txt").string() + " --json"),
                {"\"step\": 4,", "\"validation_loss\""});
  expect_values(expect_fine("inspect " + out() + "/last --json"), {"\"step\": 4,"});
}

TEST_F(TrainCommand, ReportsTheRunBeforeTheFirstStep) {
  const std::string first = run_program(command("--set train.steps=40")).err;
  expect_values(first.substr(0, first.find("step 4/")),
                {"decoder", "next_token", "learned", "259 tokens", "23 samples", "16 tokens", "5 samples",
                 "40", "8 samples", "0.02", "4 steps", "20 steps", quoted("out")});
  EXPECT_FALSE(contains(first, "resuming"));
  fs::remove_all(folder / "out/steps/00000040");
  expect_values(run_program(command("--set train.steps=40")).err, {"resuming", "step 20"});
  EXPECT_EQ(run_program(command("--set train.steps=40")).err, "") << "nothing is left to do";
}

TEST_F(TrainCommand, LabelsAreQuoted) {
  put(folder / "x.tsv", "text\tlabel\na\tb\x1b[2J\nc\td\ne\tb\x1b[2J\ng\td\n");
  const Outcome trained =
      run_program(command("--set model.kind=encoder --set model.head=sequence_class --set train.steps=1 "
                          "--set data.validation_split=0 --set data.train=" +
                          (folder / "x.tsv").string()));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  expect_values(trained.err, {"3: 'b\\x1b[2J' 2, 'd' 2, 'label' 1", "line 1", "'text', 'label'"});
  EXPECT_FALSE(contains(trained.err, "\x1b")) << trained.err;
}

// As started by an earlier version, whose defaults did not depend on the configuration.
TEST_F(TrainCommand, ARunResumesWithTheDefaultsItStartedWith) {
  const std::string old = "--set model.scheme.name=none --set train.warmup=0 --set train.clip=0";
  put(folder / "run.toml",
      "[model]\nwidth = 16\nlayers = 1\nheads = 2\n[data]\ntrain = 'x.txt'\n[train]\nsteps = 2\n");
  expect_fine(command(old + " --set model.init_std=0.02 --set model.pooling=first"));
  EXPECT_EQ(run_program(command()).exit_code, 0);
  expect_program_fault(2, command("--set model.scheme.name=rotary"), {"'rotary'", "'none'"});
}

}  // namespace
}  // namespace locus
