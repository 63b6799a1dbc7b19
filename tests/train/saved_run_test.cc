#include "locus/train/saved_run.h"

#include <gtest/gtest.h>

#include "locus/apply/text_model.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/train/run_folder.h"
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

// A run with checkpoints of steps 1, the best, to 3.
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
    EXPECT_TRUE(run.warnings[0].ends_with("; '" + (out / name).string() + "' is taken in its place"))
        << run.warnings[0];
    EXPECT_EQ(TextModel(out).warnings(), run.warnings);
  }
  const TemporaryFolder place{in_memory()};
  const fs::path out = place / "out";
};

TEST_F(SavedRuns, TheBestIsTakenOrWhatIsNextToItAndWhole) {
  const SavedRun run = load_run(out);
  EXPECT_EQ(run.checkpoint, out / "best");
  EXPECT_TRUE(run.warnings.empty());
  damage("best");
  expect_taken("last");
  fs::remove_all(out / "steps/00000001");  // its link leads nowhere
  expect_taken("last");
  damage("last");
  expect_taken("steps/00000002");
  fs::remove(out / "last");
  fs::remove(out / "best");
  expect_taken("steps/00000002");
  damage("steps/00000002");
  expect_error(Fault::data, {"out' holds no checkpoint that is whole: "}, [&] { load_run(out); });
}

TEST_F(SavedRuns, ANamedCheckpointIsTakenOrRefused) {
  EXPECT_EQ(load_run(out / "last").checkpoint, out / "last");
  damage("last");
  expect_error(Fault::data, {"last' holds no checkpoint that is whole: '", "model.safetensors' is cut short"},
               [&] { load_run(out / "last"); });
}

TEST_F(SavedRuns, AConfigurationOfALargerModelIsRefusedBeforeItIsMade) {
  change_checkpoint(out / "best", "config.toml", config(8000));
  expect_error(Fault::data, {"best/config.toml': describes a model of at least ", "but the weights hold "},
               [&] { load_run(out); });
}

TEST_F(SavedRuns, ALabelForEveryRowOfTheHead) {
  EXPECT_EQ(TextModel(out).labels(), (std::vector<std::string>{"bad", "good"}));
  change_checkpoint(out / "best", "labels.json", R"({"labels": ["bad"]})");
  expect_error(Fault::data, {"it has names for 1 labels, but its head tells 2"},
               [&] { TextModel model(out); });
  change_checkpoint(out / "best", "labels.json", R"({"labels": ["bad", "good", "fair"]})");
  expect_error(Fault::data, {"it has names for 3 labels, but its head tells 2"},
               [&] { TextModel model(out); });
}

}  // namespace
}  // namespace locus
