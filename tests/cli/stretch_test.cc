// locus stretch: of runs, and with --evaluate, the loss of a text before and after.
#include <gtest/gtest.h>

#include <sstream>

#include "locus/base/file.h"
#include "tests/cli/train_command.h"

namespace locus {
namespace {

const std::string kText = LOCUS_GOLDEN "/lengths/text.txt";
const std::string kModel = LOCUS_GOLDEN "/apply/write";  // learned positions, 48 of them

TEST(StretchCommand, EvaluatesBeforeAndAfterAtBothLengths) {
  const TemporaryFolder folder(in_memory());
  const std::string out = (folder / "longer").string();
  const Outcome outcome = run_program(
      "stretch " + kModel + " --length 96 --how repeat --out " + out + " --evaluate " + kText, "COLUMNS=200");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("before") || line.starts_with("after")) rows.push_back(line);
  }
  ASSERT_EQ(rows.size(), 4u) << outcome.out;
  expect_values(rows[0], {"before", "48", "5.9381"});  // as in tests/golden/lengths/expected.json
  expect_values(rows[1], {"before", "96", "learned", "48"});
  expect_values(rows[2], {"after", "48", "5.9381"});  // the first rows of a repeated table are the old ones
  expect_values(rows[3], {"after", "96"});
  EXPECT_FALSE(contains(rows[3], "learned")) << rows[3];
}

TEST(StretchCommand, WarnsOfFieldsThatAreNotRead) {
  const TemporaryFolder folder(in_memory());
  std::filesystem::copy(kModel, folder / "model");
  const std::string config = read_file(folder / "model/config.json");
  put(folder / "model/config.json", "{\"attention_chunk_size\": 8," + config.substr(1));
  const Outcome outcome = run_program("stretch " + (folder / "model").string() +
                                      " --length 96 --how repeat --out " + (folder / "longer").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("'attention_chunk_size' is 8"), std::string::npos) << outcome.err;
}

TEST(StretchCommand, ATextThatCannotBeEvaluatedIsAnErrorBeforeAnythingIsWritten) {
  const TemporaryFolder folder(in_memory());
  put(folder / "short.txt", "the dog");
  const std::string out = (folder / "longer").string();
  const std::string command = "stretch " + kModel + " --length 96 --how repeat --out " + out + " --evaluate ";
  expect_program_fault(3, command + (folder / "short.txt").string(), {"short.txt", "48"});
  expect_program_fault(4, command + "/nowhere.txt", {"/nowhere.txt"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

class StretchOfRuns : public TrainCommand {
 protected:
  std::string stretch(const std::string& how) const {
    return "stretch " + out() + " --length 32 --how " + how + " --out " + quoted("longer");
  }
  std::filesystem::path longer() const { return folder / "longer"; }
};

// The table of a run has 16 rows, of its longer folder 32.
TEST_F(StretchOfRuns, ARunIsStretchedLikeItsExport) {
  expect_fine(command());
  expect_fine("export " + out() + " " + quoted("exported"));
  expect_fine(stretch("repeat") + " --evaluate " + quoted("x.txt"));
  expect_fine("stretch " + quoted("exported") + " --length 32 --how repeat --out " + quoted("same"));
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}) {
    EXPECT_EQ(read_file(longer() / name), read_file(folder / "same" / name)) << name;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_FALSE(contains(entry.path().string(), ".part")) << entry.path();
  }
}

TEST_F(StretchOfRuns, WhatCannotBeStretchedIsAnErrorThatSaysWhy) {
  expect_fine(command("--set model.gated=true --set train.steps=2"));
  expect_program_fault(3, stretch("repeat"), {"'" + out() + "'", "gated", "stretched"});
  expect_program_fault(3, stretch("yarn"), {"'" + out() + "'", "yarn", "learned", "repeat"});
  std::filesystem::remove_all(out());
  expect_fine(command("--set model.scheme.name=kerple --set train.steps=2"));
  expect_program_fault(3, stretch("repeat"), {"'" + out() + "'", "kerple", "--lengths"});
  EXPECT_FALSE(std::filesystem::exists(longer()));
}

}  // namespace
}  // namespace locus
