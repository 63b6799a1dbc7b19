// One way to open runs, checkpoints and Hugging Face model folders.
#include "locus/run/trained_model.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

const fs::path kApply = fs::path(LOCUS_GOLDEN) / "apply";

TEST(TrainedModel, AModelFolderIsATaskOfItsOwn) {
  const TrainedModel trained(kApply / "classify");
  EXPECT_EQ(trained.checkpoint(), kApply / "classify");
  ASSERT_NE(trained.hub(), nullptr);
  const TextTask& task = trained.task();
  EXPECT_EQ(task.labels, (std::vector<std::string>{"bad", "fair", "good"}));
  EXPECT_EQ(task.data.context, 40);
  EXPECT_EQ(task.data.framing, Framing::tokenizer);
  EXPECT_EQ(task.tokenizer->size(), trained.blueprint().vocabulary);
  EXPECT_EQ(TrainedModel(kApply / "translate").task().start_token(), 3);
}

TEST(TrainedModel, TheTokenizerLimitsTheContextAndTheSegments) {
  const TemporaryFolder folder(in_memory());
  fs::copy(kApply / "classify", folder.path(), fs::copy_options::recursive);
  put(folder / "tokenizer_config.json",
      R"({"model_max_length": 7, "model_input_names": ["input_ids", "attention_mask"]})");
  const TrainedModel trained(folder.path());
  EXPECT_EQ(trained.task().data.context, 7);
  EXPECT_FALSE(trained.task().data.pair_segments);
}

TEST(TrainedModel, WithoutTextNoTokenizerIsNeeded) {
  const fs::path bert = fs::path(LOCUS_GOLDEN) / "family" / "bert";
  EXPECT_EQ(TrainedModel(bert, {.for_text = false}).task().tokenizer, nullptr);
  expect_error(Fault::data, {bert.c_str()}, [&] { TrainedModel trained(bert); });
}

TEST(TrainedModel, ARunAndItsCheckpoints) {
  const TemporaryFolder folder(in_memory());
  put(folder / "x.txt", "abcabcabcabcabcabcabcabc");
  put(folder / "run.toml",
      "[model]\nwidth = 8\nlayers = 1\nheads = 2\n[model.scheme]\nname = 'rotary'\n[data]\ntrain = "
      "'x.txt'\ncontext = 4\n[train]\nsteps = 2\n");
  const fs::path out = folder / "out";
  ASSERT_EQ(run_program("train " + (folder / "run.toml").string() + " --out " + out.string()).exit_code, 0);
  for (const fs::path& given : {out, out / "last"}) {
    const TrainedModel trained(given);
    EXPECT_EQ(trained.folder(), given);
    EXPECT_EQ(trained.checkpoint(), out / "last");
    EXPECT_EQ(trained.hub(), nullptr);
    EXPECT_EQ(trained.task().data.context, 4);
    EXPECT_NE(trained.task().tokenizer, nullptr);
  }
}

TEST(TrainedModel, OtherFoldersAreErrors) {
  const TemporaryFolder folder(in_memory());
  expect_error(Fault::data, Code::missing_file, {"config.json", folder.path().c_str()},
               [&] { TrainedModel trained(folder.path()); });
  expect_error(Fault::io, Code::missing_file, {(folder / "x").c_str()},
               [&] { TrainedModel trained(folder / "x"); });
}

TEST(TrainedModel, AFolderWithoutAStartTokenCannotReadItsOwnOutput) {
  TextTask task;
  expect_error(Fault::data, {"decoder_start_token_id"}, [&] { task.start_token(); });
}

// ORG/MODEL, if there is no such folder.
TEST(TrainedModel, ANameOfTheHubGetsTheCommandThatDownloadsIt) {
  const char* name = "sentence-transformers/all-MiniLM-L6-v2";
  expect_error(Fault::io, Code::missing_file, {name, "hf download", "--local-dir all-MiniLM-L6-v2"},
               [&] { TrainedModel{name}; });
  expect_error(Fault::io, Code::missing_file, {name, "hf download"}, [&] { open_model(name); });
  const TemporaryFolder folder;
  for (const std::string place : {"nowhere", "a/b/c", "./model", "../model", "/tmp/none"}) {
    EXPECT_EQ(download_hint(place), "") << place;
  }
  EXPECT_EQ(download_hint(folder / "model"), "");
}

}  // namespace
}  // namespace locus
