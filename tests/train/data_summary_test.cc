// What a run reports about its data, and the mistakes it recognizes.
#include "locus/train/data_summary.h"

#include <gtest/gtest.h>

#include "locus/train/run_plan.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

class DataSummaries : public ::testing::Test {
 protected:
  // The run on a file `name` with these contents.
  RunPlan plan(const std::string& name, const std::string& text, const std::string& settings) const {
    put(folder / name, text);
    return plan_run(Settings::parse(settings, "run.toml"), folder.path());
  }
  // Suspicions about a classifier on x.tsv.
  std::vector<std::string> about(const std::string& text, const std::string& data = "") const {
    return suspicions_of(
        plan("x.tsv", text,
             "[model]\nkind = 'encoder'\nhead = 'sequence_class'\n[data]\ntrain = 'x.tsv'\n" + data));
  }
  static DataSummary summary_of(const RunPlan& plan) {
    return summarize(plan.task, *plan.training, plan.validation.get());
  }
  static std::vector<std::string> suspicions_of(const RunPlan& plan) {
    return suspicions(summary_of(plan), plan.task);
  }
  static void expect_one(const std::vector<std::string>& found,
                         std::initializer_list<std::string_view> values) {
    ASSERT_EQ(found.size(), 1U) << (found.empty() ? "" : found[1]);
    expect_values(found[0], values);
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(DataSummaries, CountsSamplesTokensAndLabels) {
  const RunPlan run = plan("x.tsv", "ab\tx\nabcd\ty\nabc\ty\nabc\ty\n",
                           "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nlabels = 3\n"
                           "[data]\ntrain = 'x.tsv'\nvalidation_split = 0.25\n");
  const DataSummary data = summary_of(run);
  EXPECT_EQ(data.training, 3);
  EXPECT_EQ(data.validation, 1);
  EXPECT_EQ(data.tokens, 12) << "with <s>";
  EXPECT_EQ(data.shortest, 3);
  EXPECT_EQ(data.median, 4);
  EXPECT_EQ(data.longest, 5);
  ASSERT_EQ(data.labels.size(), 2U) << "LABEL_2 does not occur";
  EXPECT_EQ(data.labels[0].name, "y");
  EXPECT_EQ(data.labels[0].training, 2);
  EXPECT_EQ(data.labels[0].validation, 1);
  EXPECT_EQ(data.labels[1].training, 1);
}

TEST_F(DataSummaries, WindowsOverAText) {
  const RunPlan run = plan("x.txt", std::string(100, 'a'), "[data]\ntrain = 'x.txt'\ncontext = 10\n");
  EXPECT_EQ(summary_of(run).tokens, 90);
  EXPECT_TRUE(summary_of(run).labels.empty());
  EXPECT_TRUE(suspicions_of(run).empty());
}

TEST_F(DataSummaries, AHeader) {
  const std::string examples = "a\tx\nb\ty\nc\tx\nd\ty\n";
  expect_one(about("Text\tLabel\n" + examples), {"x.tsv", "line 1", "'Text'", "'Label'"});
  EXPECT_TRUE(about("text\tx\n" + examples).empty()) << "an example with this text";
  EXPECT_TRUE(about("a\tlabel\nb\tlabel\n" + examples).empty()) << "a label with this name";
}

TEST_F(DataSummaries, AHeaderOfPairs) {
  const std::string settings = "[model]\nkind = 'encoder-decoder'\n[data]\ntrain = 'p.tsv'\n";
  expect_one(suspicions_of(plan("p.tsv", "source\ttarget\nab\tba\n", settings)), {"p.tsv", "line 1"});
  EXPECT_TRUE(suspicions_of(plan("p.tsv", "source\tecruos\nab\tba\n", settings)).empty());
}

TEST_F(DataSummaries, SwappedColumns) {
  std::string swapped, plain;
  for (const char c : std::string("abcdefghijkl")) {
    swapped += std::string(c < 'g' ? "good" : "bad") + "\ttext " + c + "\n";
    plain += std::string("text ") + c + (c < 'g' ? "\tgood\n" : "\tbad\n");
  }
  expect_one(about(swapped), {"x.tsv", "12 labels", "2 different texts"});
  EXPECT_TRUE(about(plain).empty());
}

TEST_F(DataSummaries, LabelsWithTooFewExamples) {
  expect_one(about("a\tx\nb\tx\nc\ty\n"), {"'y'", "once"});
  expect_one(about("a\tx\nb\tx\n"), {"'x'", "all samples"});
  expect_one(about("a\tx\nb\tx\nc\ty\nd\ty\nc\tx\n", "validation_split = 0.2\n"),
             {"validation", "'y'", "data.validation_split"});
  put(folder / "v.tsv", "c\tx\n");
  const std::vector<std::string> found = about("a\tx\nb\tx\nc\ty\nd\ty\n", "validation = 'v.tsv'\n");
  expect_one(found, {"validation", "'y'"});
  EXPECT_FALSE(contains(found[0], "data.validation_split"));
  expect_one(about("a\tx\nb\tx\nc\tx\nd\ty\ne\ty\nf\tx\n", "validation_split = 0.5\n"), {"training", "'y'"});
}

TEST_F(DataSummaries, ManyNamesAreCounted) {
  expect_one(about("a\tx\nb\tx\nc\t1\nd\t2\ne\t3\nf\t4\ng\t5\n"), {"'1', '2', '3' and 2 more", "once"});
}

}  // namespace
}  // namespace locus
