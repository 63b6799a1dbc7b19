#include "locus/run/saved_run.h"

#include <gtest/gtest.h>

#include "locus/apply/text_model.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/run/run_folder.h"
#include "locus/run/run_settings.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/train/run_plan.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"
#include "tests/train/change_checkpoint.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string config(int64_t width) {
  return fmt::format(
      "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nlabels = 2\nvocabulary = 259\nwidth = {}\nlayers "
      "= "
      "1\nheads = 2\nmax_length = 16\n[model.scheme]\nname = 'none'\n",
      width);
}

// A run with checkpoints of steps 1 to 3; step 1 is the best.
class SavedRuns : public ::testing::Test {
 protected:
  SavedRuns() {
    TextTask task = task_of(Settings::parse(config(8), "config"));
    task.tokenizer = std::make_shared<ByteVocabulary>(std::vector<std::string>{"<s>", "</s>", "<mask>"});
    task.labels = {"bad", "good"};
    const Model model(task.blueprint, {.seed = 1});
    RunFolder folder(out);
    for (int64_t step = 1; step <= 3; ++step) {
      folder.save({.state = {.step = step, .best_step = 1},
                   .model = named_tensors(model.parameters()),
                   .optimizer = {},
                   .config = config(8),
                   .files = files_of(task, place / "scratch")});
    }
  }
  void damage(const std::string& name) const { put(out / name / "model.safetensors", "x"); }
  void expect_taken(const std::string& name) const {
    const SavedRun run = load_run(out);
    EXPECT_EQ(run.checkpoint, out / name);
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_TRUE(names(run.warnings[0], (out / name).string())) << run.warnings[0];
    EXPECT_EQ(TextModel(out).warnings(), run.warnings);
  }
  const TemporaryFolder place{in_memory()};
  const fs::path out = place / "out";
};

TEST_F(SavedRuns, TheBestUndamagedCheckpointIsOpened) {
  const SavedRun run = load_run(out);
  EXPECT_EQ(run.checkpoint, out / "best");
  EXPECT_TRUE(run.warnings.empty());
  damage("best");
  expect_taken("last");
  fs::remove_all(out / "steps/00000001");  // `best` is now a broken link
  expect_taken("last");
  damage("last");
  expect_taken("steps/00000002");
  fs::remove(out / "last");
  fs::remove(out / "best");
  expect_taken("steps/00000002");
  damage("steps/00000002");
  expect_error(Fault::data, Code::damaged_file, {out.c_str()}, [&] { load_run(out); });
}

TEST_F(SavedRuns, ANamedCheckpointHasNoReplacement) {
  EXPECT_EQ(load_run(out / "last").checkpoint, out / "last");
  damage("last");
  expect_error(Fault::data, Code::damaged_file, {(out / "last").c_str(), "last/model.safetensors"},
               [&] { load_run(out / "last"); });
}

TEST_F(SavedRuns, AConfigurationOfALargerModelFailsBeforeItIsBuilt) {
  change_checkpoint(out / "best", "config.toml", config(8000));
  expect_error(Fault::data, {"best/config.toml"}, [&] { load_run(out); });
}

TEST_F(SavedRuns, AnErrorInTheConfigurationNamesItsFile) {
  std::string negative = config(8);
  negative.replace(negative.find("layers = 1"), 10, "layers = -1");
  change_checkpoint(out / "best", "config.toml", negative);
  expect_error(Fault::data, {(out / "best/config.toml").c_str(), "layers", "-1"}, [&] { load_run(out); });
}

TEST_F(SavedRuns, TheSeedIsThatOfTraining) {
  const auto seed_of = [](const std::string& train) {
    return task_of(Settings::parse(config(8) + train, "config")).seed;
  };
  EXPECT_EQ(seed_of(""), 1u);
  EXPECT_EQ(seed_of("[train]\nseed = 7\n"), 7u);
  expect_error(Fault::data, {"[train]", "seed", "'-1'"}, [&] { seed_of("[train]\nseed = -1\n"); });
  expect_error(Fault::data, {"[train]", "seed", "'x'"}, [&] { seed_of("[train]\nseed = 'x'\n"); });
}

TEST_F(SavedRuns, EveryClassOfTheHeadNeedsALabel) {
  EXPECT_EQ(TextModel(out).labels(), (std::vector<std::string>{"bad", "good"}));
  change_checkpoint(out / "best", "labels.json", R"({"labels": ["bad"]})");
  expect_error(Fault::data, {out.c_str(), "1", "2"}, [&] { TextModel model(out); });
  change_checkpoint(out / "best", "labels.json", R"({"labels": ["bad", "good", "fair"]})");
  expect_error(Fault::data, {out.c_str(), "3", "2"}, [&] { TextModel model(out); });
}

}  // namespace
}  // namespace locus
