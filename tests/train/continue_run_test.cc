// Runs that continue with other settings or data, as a user sees them.
#include "locus/train/continue_run.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "locus/run/saved_run.h"
#include "locus/train/metrics.h"
#include "locus/train/run_changes.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class ContinueRun : public ::testing::Test {
 protected:
  ContinueRun() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcdefgh";
    put(folder / "x.txt", text);
    put(folder / "y.txt", text + text);
    put(folder / "x.tsv", "ab\tup\nba\tdown\n");
  }
  std::string file(const std::string& name) const { return (folder / name).string(); }
  void begin(const std::string& model = "", const std::string& data = "x.txt",
             const std::string& scheme = "rotary") {
    put(folder / "run.toml", "[model]\nwidth = 16\nlayers = 1\nheads = 2\n" + model +
                                 "[model.scheme]\nname = '" + scheme + "'\n[data]\ntrain = '" + data +
                                 "'\ncontext = 16\nbatch_size = 4\n[train]\nsteps = 6\nlearning_rate = 0.01\n"
                                 "schedule = 'constant'\nwarmup = 0\n");
    expect_fine("train " + file("run.toml") + " --out " + file("run"));
  }
  std::string expect_fine(const std::string& arguments) const {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    return outcome.out + outcome.err;
  }
  std::string more(const std::string& settings) const {
    return "train --continue " + file("run") + " " + settings;
  }
  const TemporaryFolder folder{in_memory()};
};

// 480 tokens are 29 windows of 16.
TEST_F(ContinueRun, EpochsAreAnsweredWithTheirSteps) {
  begin();
  expect_program_fault(2, more("--set train.epochs=2"), {"'epochs'", "29", "4", "train.steps = 15"});
}

TEST_F(ContinueRun, MoreStepsEqualALongerRun) {
  begin();
  expect_fine("train " + file("run.toml") + " --out " + file("long") + " --set train.steps=9");
  expect_fine(more("--set train.steps=9 --out " + file("new")));
  const std::string said = expect_fine(more("--set train.steps=9"));
  expect_values(said, {"6", "train.steps: 6 -> 9", "9/9"});
  for (const char* name : {"run", "new"}) {
    EXPECT_EQ(read_file(folder / name / "last/model.safetensors"),
              read_file(folder / "long/last/model.safetensors"));
    EXPECT_EQ(read_metrics(folder / name / "metrics.jsonl").steps.size(), 9u);
    expect_values(expect_fine("inspect " + file(name)), {"after step 6", "train.steps: 6 -> 9"});
    EXPECT_TRUE(contains(read_file(folder / name / "training.html"), "After step 6"));
  }
  EXPECT_TRUE(contains(expect_fine("inspect --json " + file("run")), "\"setting\": \"train.steps\""));
  // The same command again has nothing to do, and so has the file with the new number of steps.
  const std::string metrics = read_file(folder / "run/metrics.jsonl");
  expect_fine(more("--set train.steps=9"));
  expect_fine("train " + file("run.toml") + " --out " + file("run") + " --set train.steps=9");
  EXPECT_EQ(read_file(folder / "run/metrics.jsonl"), metrics);
  expect_program_fault(2, "train " + file("run.toml") + " --out " + file("run"),
                       {"train.steps", "'6'", "'9'", "--continue"});
}

TEST_F(ContinueRun, OtherDataAndALongerContext) {
  begin();
  const std::string said =
      expect_fine(more("--set train.steps=9 --set data.context=32 --set data.train=" + file("y.txt")));
  expect_values(said, {"data.context: 16 -> 32", "model.max_length: 16 -> 32", "training-data.txt"});
  EXPECT_EQ(load_run(folder / "run").task.data.context, 32);
  // A file with only what changes.
  put(folder / "more.toml", "[data]\nbatch_size = 2\n[train]\nsteps = 12\n");
  expect_fine("train " + file("more.toml") + " --continue " + file("run"));
  const RunTask task = read_run_task(folder / "run");
  EXPECT_EQ(task.task.data.batch_size, 2);
  EXPECT_EQ(task.task.data.context, 32) << "settings that are not given keep their values";
  EXPECT_EQ(read_changes(folder / "run/last").back(),
            (RunChange{.step = 9, .setting = "train.steps", .before = "9", .after = "12"}));
}

TEST_F(ContinueRun, ALearnedTableLimitsTheContext) {
  begin("", "x.txt", "learned");
  expect_fine(more("--set train.steps=7 --set data.context=8"));
  EXPECT_EQ(load_run(folder / "run").model.blueprint().max_length, 16);
  expect_program_fault(3, more("--set train.steps=9 --set data.context=17"),
                       {"data.context is 17", "16", "learned"});
}

TEST_F(ContinueRun, BadInputIsNamed) {
  begin("kind = 'encoder'\nhead = 'sequence_class'\n", "x.tsv");
  expect_program_fault(2, more("--set train.steps=5"), {"train.steps is 5", "6"});
  expect_program_fault(2, more("--set model.width=32 --set model.scheme.name=alibi"),
                       {"model.width", "'32'", "'16'", "model.scheme.name", "'alibi'", "model.from"});
  expect_program_fault(2, more("--set data.framing=tokenizer"), {"data.framing", "own"});
  put(folder / "z.tsv", "ab\tother\n");
  expect_program_fault(2, more("--set train.steps=7 --set data.train=" + file("z.tsv")),
                       {"'other'", "down", "up", "model.head"});
  expect_fine("tokenize --learn 270 " + file("x.txt") + " --out " + file("bpe"));
  expect_program_fault(2, more("--set train.steps=7 --set data.tokenizer=" + file("bpe")), {"encoder.json"});
  expect_program_fault(2, more("--set train.steps=7 --set train.frozen='*'"), {"train.frozen", "'*'"});
  expect_program_fault(2, more("--set train.stepz=7"), {"'stepz'", "'steps'"});
  expect_program_fault(3, "train --continue " + folder.path().string(), {"checkpoint"});
  expect_program_fault(2, "train --continue " + file("run/last") + " --set train.steps=7",
                       {"run/last", "--out"});
  expect_program_fault(2, "train --out " + file("other"), {"CONFIG", "--continue"});
  EXPECT_EQ(read_metrics(folder / "run/metrics.jsonl").steps.size(), 6u) << "nothing has changed";
}

TEST_F(ContinueRun, APlainResumeDoesNotChange) {
  begin();
  const std::string saved = read_file(folder / "run/last/config.toml");
  expect_fine(more(""));
  EXPECT_EQ(read_file(folder / "run/last/config.toml"), saved);
  EXPECT_FALSE(fs::exists(folder / "run/last/changes.jsonl"));
}

class ContinueHubRun : public HubRun {};

TEST_F(ContinueHubRun, ItsModelFolderIsWrittenAgain) {
  add_letters();
  put(folder / "x.tsv", "a b c\tup\nc b a\tdown\n");
  config(model.path().string(),
         "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\nbatch_size = 2\n[train]\nsteps = "
         "2\nlearning_rate = 0.01\n");
  ASSERT_EQ(train().exit_code, 0);
  const std::string before = read_file(folder / "out/hub/model.safetensors");
  const Outcome outcome = run_program("train --continue " + (folder / "out").string() +
                                      " --set train.steps=4 --set train.frozen=tokens");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(read_file(folder / "out/hub/model.safetensors"), before);
  EXPECT_EQ(Config(folder / "out/hub/config.json").text("architectures.0"), "BertForSequenceClassification");
}

}  // namespace
}  // namespace locus
