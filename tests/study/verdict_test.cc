// The verdict of a study follows from its numbers.
#include "locus/study/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/expect_error.h"

namespace locus::study {
namespace {

using Names = std::vector<std::string>;

Line line(const std::string& scheme, const std::vector<double>& values, double spread = 0) {
  Line result{scheme, "", {}, {}};
  for (const double value : values)
    result.scores.push_back({value, spread, std::isnan(value) ? "past the table" : ""});
  return result;
}

const double kNone = std::nan("");

Summary language() {
  Summary summary{.lengths = {64, 128, 512}, .trained = 64, .seeds = 2, .tasks = {}, .costs = {}};
  summary.tasks.push_back({&task("language"),
                           {line("none", {5, 5.1, 5.2}), line("learned", {3.8, kNone, kNone}),
                            line("rotary", {3.6, 3.7, 5.5}), line("kerple", {3.5, 3.5, 3.45}),
                            line("transformer_xl", {3.5, 3.45, 3.4}), line("alibi", {3.7, 3.7, 3.65})}});
  summary.costs = {{"none", 0, 0.010, 1},   {"learned", 99, 0.010, 1},        {"rotary", 0, 0.011, 1},
                   {"kerple", 8, 0.011, 1}, {"transformer_xl", 50, 0.018, 1}, {"alibi", 0, 0.0105, 1}};
  return summary;
}

Summary copying() {
  Summary summary = language();
  summary.tasks = {{&task("back"),
                    {line("none", {0.1, 0.1, 0.1}), line("rotary", {1, 0.96, 0.7}),
                     line("shaw", {1, 1, 0.99}), line("learned", {0.97, kNone, kNone})}}};
  return summary;
}

TEST(Verdict, PicksTheFastestOfTheBestAtTheLongestLength) {
  const Verdict answer = verdict(language());
  EXPECT_EQ(answer.pick, "kerple");  // within 5 % of transformer_xl; alibi is not
  EXPECT_EQ(answer.trained_value, 3.5);
  EXPECT_EQ(answer.longest_value, 3.45);
  EXPECT_NEAR(answer.step_ratio, 1.1, 1e-12);
  ASSERT_EQ(answer.sentences.size(), 2u);
  for (const char* value : {"kerple", "64", "512", "8 times", "3.50", "3.45", "1.10x", "8 parameters"}) {
    EXPECT_TRUE(names(answer.sentences[0], value)) << value << ": " << answer.sentences[0];
  }
}

TEST(Verdict, TheValueOfATextIsAlsoInBitsPerByte) {
  Summary summary = language();
  Task text = task("language");
  text.text = TextFacts{.bytes_per_token = 2};
  summary.tasks[0].task = &text;
  EXPECT_TRUE(names(verdict(summary).sentences[0], "0.893 bits per byte")) << verdict(summary).sentences[0];
}

TEST(Verdict, ABetterValueBeatsTheCostFromTheToleranceOn) {
  Summary summary = language();
  for (Mean& mean : summary.tasks[0].lines[4].scores) mean.value = 3.2;
  EXPECT_EQ(verdict(summary).pick, "transformer_xl");
  summary = language();
  summary.costs[4].step_seconds = 0.0111;  // as fast as kerple within the precision of a timing
  EXPECT_EQ(verdict(summary).pick, "transformer_xl");
}

TEST(Verdict, NamesHowFarTheOthersGo) {
  const Verdict answer = verdict(language());
  ASSERT_EQ(answer.limited.size(), 2u);
  EXPECT_EQ(answer.limited[0], std::pair(int64_t{128}, Names{"rotary"}));
  EXPECT_EQ(answer.limited[1], std::pair(int64_t{64}, Names{"learned"}));
  EXPECT_TRUE(names(answer.sentences[1], "2 times")) << answer.sentences[1];
}

TEST(Verdict, TheControlIsNeverPicked) {
  Summary summary = language();
  summary.tasks[0].lines = {line("none", {5, 5, 5}), line("alibi", {4.9, 4.9, 4.9})};
  const Verdict answer = verdict(summary);  // alibi is no better than the control: nothing was learned
  EXPECT_EQ(answer.pick, "");
  EXPECT_TRUE(answer.limited.empty());
  ASSERT_EQ(answer.sentences.size(), 1u);
}

TEST(Verdict, SaysWhoGoesFarthestIfNoneWorks) {
  Summary summary = language();
  summary.tasks[0].lines.resize(3);
  const Verdict answer = verdict(summary);
  EXPECT_EQ(answer.pick, "");
  for (const char* value : {"rotary", "128", "512"}) EXPECT_TRUE(names(answer.sentences[0], value)) << value;
}

TEST(Verdict, AnAccuracyMustBeSolvedAndKept) {
  EXPECT_EQ(verdict(copying()).pick, "shaw");
  Summary summary = copying();
  const auto place = [&](size_t index) {
    return standing(summary, summary.tasks[0], summary.tasks[0].lines[index]);
  };
  EXPECT_FALSE(place(0).learned);
  EXPECT_TRUE(place(1).learned);
  EXPECT_EQ(place(1).reach, 1u);
  EXPECT_EQ(place(2).reach, 2u);
  EXPECT_EQ(place(3).reach, 0u);
  EXPECT_TRUE(place(3).best);  // 97 % is within 5 points of 100 %
  summary.tasks[0].lines[3] = line("learned", {0.97, 0.97, 0.97}, 0.06);
  EXPECT_FALSE(place(3).learned) << "half the spread over seeds counts against a scheme";
}

TEST(Verdict, NamesTheSchemesThatWorkOnAllTasks) {
  Summary summary = copying();
  summary.tasks.push_back(summary.tasks[0]);
  EXPECT_EQ(verdict(summary).on_all_tasks, Names{"shaw"});
  EXPECT_TRUE(names(verdict(summary).sentences[1], "shaw"));
  summary.tasks[1].lines[2].scores[2].value = 0.5;
  EXPECT_EQ(verdict(summary).on_all_tasks, Names{});
}

TEST(Verdict, WithoutLongerTextsItIsAboutTheTrainedLength) {
  Summary summary = language();
  summary.lengths = {64};
  for (Line& one : summary.tasks[0].lines) one.scores.resize(1);
  const Verdict answer = verdict(summary);
  EXPECT_EQ(answer.pick, "kerple");  // close to transformer_xl, equal in value, faster
  EXPECT_TRUE(answer.limited.empty());
  EXPECT_FALSE(names(answer.sentences[0], "512"));
}

TEST(Verdict, WithoutAControlCostsAreMilliseconds) {
  Summary summary = language();
  summary.costs.erase(summary.costs.begin());
  summary.tasks[0].lines.erase(summary.tasks[0].lines.begin());
  const Verdict answer = verdict(summary);
  EXPECT_EQ(answer.pick, "transformer_xl");  // no ratio, no order of costs
  EXPECT_TRUE(names(answer.sentences[0], "18.0 ms")) << answer.sentences[0];
}

TEST(Verdict, RowsAreSortedByTheValueAtTheLongestLength) {
  const Summary summary = language();
  Names labels;
  for (const Line* one : ranked(summary.tasks[0])) labels.push_back(one->label());
  EXPECT_EQ(labels, (Names{"transformer_xl", "kerple", "alibi", "none", "rotary", "learned"}));
}

TEST(Verdict, SchemesWithoutDirectionAreNamedForEncoders) {
  Summary summary = copying();
  summary.tasks[0].lines.push_back(line("alibi", {0.5, 0.5, 0.5}));
  EXPECT_EQ(without_direction(summary.tasks[0]), Names{});  // a decoder
  summary.tasks[0].task = &task("back-encoder");
  EXPECT_EQ(without_direction(summary.tasks[0]), Names{"alibi"});
  summary.tasks[0].task = &task("majority");  // needs no order
  EXPECT_EQ(without_direction(summary.tasks[0]), Names{});
}

TEST(Verdict, TheSizeOfTheStudyIsStated) {
  Study study;
  study.seeds = 1;
  for (const char* value : {"2 layers", "width 64", "350 steps", "synthetic text", "1 seed"}) {
    EXPECT_TRUE(names(size_note(study), value)) << size_note(study);
  }
}

}  // namespace
}  // namespace locus::study
