// The presets in configs/, reduced to one second of training each: they run, and the loss falls. `./run
// presets` tests the full presets.
#include <gtest/gtest.h>

#include <simdjson.h>

#include "locus/train/metrics.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(LOCUS_GOLDEN) / "../../configs";

struct SmallPreset {
  std::string name, settings, data;
};

// Trains a preset, expects that the loss falls below `ratio` times its first value, and returns the output of
// `locus eval --json`.
std::string train_and_eval(const SmallPreset& preset, double ratio) {
  const TemporaryFolder folder(in_memory());
  const Outcome trained = run_program(
      "train " + (kConfigs / (preset.name + ".toml")).string() + " --out " + folder.path().string() +
      " --set model.width=32 --set model.layers=1 --set model.heads=2 --set train.eval_every=0 --set "
      "train.warmup=5 --set train.learning_rate=1e-2 " +
      preset.settings);
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  const Metrics metrics = read_metrics(folder / "metrics.jsonl");
  EXPECT_LT(metrics.steps.back().loss, ratio * metrics.steps.front().loss) << preset.name;
  const Outcome measured = run_program("eval " + folder.path().string() + " " + preset.data + " --json");
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  return measured.out;
}

double number(const std::string& text, const char* name) {
  simdjson::dom::parser parser;
  double value = -1;
  EXPECT_EQ(parser.parse(text)[name].get(value), simdjson::SUCCESS) << text;
  return value;
}

TEST(PresetsSlow, CausalKjv) {
  if (!has_data()) GTEST_SKIP() << kNoData;
  const std::string text = (data_folder() / "the-verdict.txt").string();
  const std::string measured = train_and_eval(
      {"causal-kjv", "--set train.steps=100 --set data.context=32 --set data.train=" + text, text}, 0.6);
  EXPECT_LT(number(measured, "loss"), 3);
}

TEST(PresetsSlow, AMissingTextNamesTheCommandThatDownloadsIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "configs");
  std::filesystem::copy(kConfigs / "causal-kjv.toml", folder / "configs");
  expect_program_fault(
      4, "train " + (folder / "configs/causal-kjv.toml").string() + " --out " + (folder / "run").string(),
      {"data.train", "fetch kjv", "LOCUS_DATA"});
}

TEST(PresetsSlow, Masked) {
  const std::string measured =
      train_and_eval({"masked", "--set train.steps=150 --set data.context=32 --set data.batch_size=16",
                      (kConfigs / "data/sentences.test.txt").string()},
                     0.5);
  EXPECT_GT(number(measured, "accuracy"), number(measured, "majority") + 0.3);
}

TEST(PresetsSlow, TranslateReverse) {
  const std::string measured =
      train_and_eval({"translate-reverse", "--set train.steps=150 --set data.batch_size=32",
                      (kConfigs / "data/reverse.test.tsv").string()},
                     0.6);
  EXPECT_GT(number(measured, "accuracy"), number(measured, "majority") + 0.15);
  EXPECT_GE(number(measured, "exact_match"), 0);
}

TEST(PresetsSlow, Classify) {
  const std::string measured = train_and_eval({"classify", "--set train.steps=100 --set data.batch_size=16",
                                               (kConfigs / "data/chase.test.tsv").string()},
                                              0.9);
  EXPECT_GT(number(measured, "accuracy"), number(measured, "majority") + 0.3);
}

// The goal of the preset: 0.5 above the most common label.
TEST(PresetsSlow, ClassifyInBf16) {
  const std::string measured =
      train_and_eval({"classify", "--set train.dtype=bf16 --set train.steps=200 --set data.batch_size=16",
                      (kConfigs / "data/chase.test.tsv").string()},
                     0.9);
  EXPECT_GE(number(measured, "accuracy"), number(measured, "majority") + 0.5);
}

TEST(PresetsSlow, DataEqualsTheOutputOfTheScript) {
  const TemporaryFolder folder;
  ASSERT_EQ(std::system(((kConfigs / "data/make.sh").string() + " " + folder.path().string()).c_str()), 0);
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_TRUE(read_file(entry.path()) == read_file(kConfigs / "data" / entry.path().filename()))
        << entry.path();
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

}  // namespace
}  // namespace locus
