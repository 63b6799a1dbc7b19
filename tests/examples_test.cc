// Every program in examples/ runs and prints the documented output.
#include <gtest/gtest.h>

#include <algorithm>

#include "locus/scheme/scheme.h"
#include "tests/apply/expected.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

TEST(ExamplesSlow, OneScheme) {
  const Outcome outcome = run_example("one_scheme");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "8 tokens: [8, 256]\n");
}

TEST(ExamplesSlow, PositionKernels) {
  const Outcome outcome = run_example("position_kernels");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "embedded [8, 64], attention [8, 64]\n"
            "differs from the formula by less than 1e-6: true\n");
}

TEST(ExamplesSlow, Lookup) {
  const Outcome outcome = run_example("lookup");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "positions [2, 3], table [4, 3]: output [2, 3, 3]\n"
            "position 0: [0, 0.1, 0.2]\n"
            "position 1: [1, 1.1, 1.2]\n"
            "position 2: [2, 2.1, 2.2]\n"
            "position 3: [3, 3.1, 3.2]\n"
            "position 1: [1, 1.1, 1.2]\n"
            "position 1: [1, 1.1, 1.2]\n"
            "gradient of the table: [1, 1, 1, 3, 3, 3, 1, 1, 1, 1, 1, 1]\n");
}

TEST(ExamplesSlow, Encoder) {
  const Outcome outcome = run_example("encoder");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "embeddings: [1, 5, 768]\n"
            "encoder:    [1, 5, 768]\n");
}

TEST(ExamplesSlow, TrainingLoop) {
  const Outcome outcome = run_example("training_loop");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "loss below 0.1: true\n"
            "The dog chased the ball,\n");
}

TEST(ExamplesSlow, TrainRun) {
  const TemporaryFolder folder;
  put(folder / "x.tsv", "ab\tup\nba\tdown\nabc\tup\nbac\tdown\n");
  put(folder / "run.toml",
      "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nwidth = 16\nlayers = 1\nheads = 2\n[data]\ntrain "
      "= "
      "'x.tsv'\nbatch_size = 4\n[train]\nsteps = 40\nlearning_rate = 0.02\n");
  const std::string place = folder.path().string();
  const std::string words = place + "/run.toml " + place + "/out " + place + "/x.tsv";
  const Outcome outcome = run_example("train_run", "", words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("step 40, loss 0.0"), 0u) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "step 10: loss ")) << outcome.err;
  const Outcome again = run_example("train_run", "", words);
  EXPECT_EQ(again.out, outcome.out) << "a finished run does not change";
  EXPECT_EQ(again.err, "");
}

TEST(ExamplesSlow, ModelFolder) {
  const Outcome outcome = run_example("model_folder " LOCUS_GOLDEN "/family/llama");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "2 layers of width 16, scheme rotary\n"
            "logits [5, 29]\n"
            "4 new tokens\n");
}

constexpr const char* kShapes =
    "\nInputs shape:     [8, 4]\n"
    "token embeddings: [8, 4, 256]\n"
    "positions:        [4, 256]\n"
    "input embeddings: [8, 4, 256]\n";

TEST(ExamplesSlow, InputEmbeddingsOfASentence) {
  const Outcome outcome = run_example("input_embeddings", "env -u LOCUS_DATA");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, std::string("Token IDs:\n"
                                     "    84   104   101    32\n"
                                     "   100   111   103    32\n"
                                     "    99   104    97   115\n"
                                     "   101   100    32   116\n"
                                     "   104   101    32    98\n"
                                     "    97   108   108    44\n"
                                     "    32    98   117   116\n"
                                     "    32   105   116    32\n") +
                             kShapes);
}

TEST(ExamplesSlow, InputEmbeddingsOfTheVerdict) {
  if (!has_data()) GTEST_SKIP() << kNoData;
  const Outcome outcome = run_example("input_embeddings", "LOCUS_DATA=" + data_folder().string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, std::string("Token IDs:\n"
                                     "    40   367  2885  1464\n"
                                     "  1807  3619   402   271\n"
                                     " 10899  2138   257  7026\n"
                                     " 15632   438  2016   257\n"
                                     "   922  5891  1576   438\n"
                                     "   568   340   373   645\n"
                                     "  1049  5975   284   502\n"
                                     "   284  3285   326    11\n") +
                             kShapes);
}

// The output of an example that applies the golden model of a task to texts.
std::string applied(const std::string& name, const std::string& job, const std::string& texts) {
  const Outcome outcome = run_example(name, "", golden_model(job).string() + " " + texts);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

TEST(ExamplesSlow, ModelsAppliedToTexts) {
  EXPECT_EQ(applied("embed", "embed", "'The dog ran.' 'It sat.'"), "2 of them: [2, 12]\n");
  EXPECT_EQ(applied("similarity", "embed", "'The dog ran.' 'the dog ran .'"), "1.0000\n");
  EXPECT_EQ(applied("tag", "tag", "'It ran!'"), "PER 0.3177 It\nLOC 0.2451 ran\nMISC 0.2082 !\n");
  EXPECT_EQ(applied("fill", "fill", "'The [MASK] sat.'").find("0.0"), 0u);
  EXPECT_EQ(applied("answer", "answer", "x ''"), "no answer\n");
  EXPECT_EQ(applied("translate", "translate", "'It ran!' ''").find("it it itvvvv\n"), 0u);
  const std::string classes = applied("classify", "classify", "'The dog ran.' 'It sat.'");
  EXPECT_EQ(std::ranges::count(classes, '\n'), 2) << classes;
  const std::string written = applied("generate", "write", "'the dog'");
  EXPECT_GT(written.size(), 6u) << written;
}

TEST(ExamplesSlow, Search) {
  const TemporaryFolder folder;
  EXPECT_EQ(applied("search", "embed", (folder / "v.npy").string() + " 'it ran' 'the dog' 'it ran' 'a cat'")
                .substr(0, 16),
            "1.0000 1 it ran\n");
}

TEST(ExamplesSlow, Tokenize) { EXPECT_EQ(applied("tokenize", "embed", "'É ball'"), "2 29 8 3 -> e ball\n"); }

TEST(ExamplesSlow, OwnScheme) {
  const Outcome outcome = run_example("own_scheme");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            fmt::format("root_distance is one of {} schemes\nlogits [4, 256]\n", schemes().size() + 1));
}

TEST(ExamplesSlow, AMissingFolderIsReported) {
  const Outcome outcome = run_example("embed", "", "/nowhere x");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.out, "");
  expect_values(outcome.err, {"embed", "'/nowhere'"});
}

}  // namespace
}  // namespace locus
