#include "locus/study/study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/study/summary.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

Study tiny() {
  Study study;
  study.tasks = "language";
  study.schemes = "none, learned, t5";
  study.conditions = {.length = 8,
                      .lengths = "8, 12",
                      .steps = 3,
                      .batch = 2,
                      .width = 8,
                      .layers = 1,
                      .heads = 2,
                      .hidden = 8,
                      .test_tokens = 24};
  return study;
}

std::string scores(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    text += cell.name.text();
    for (const Row& row : cell.rows) {
      text += " / " + row.variant;
      for (const Score& score : row.scores) text += fmt::format(" {}={}", score.length, exact(score.value));
    }
    text += fmt::format(" loss {}\n", exact(cell.loss));
  }
  return text;
}

TEST(Study, RunsEveryCellAndGivesTheSameBitsOnAnyNumberOfThreads) {
  std::string first;
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const TemporaryFolder folder;
    const std::vector<Cell> cells = run(tiny(), folder.path(), {});
    ASSERT_EQ(cells.size(), 6u);
    if (first.empty()) first = scores(cells);
    EXPECT_EQ(scores(cells), first) << count << " threads";
  }
  set_threads(before);
  EXPECT_NE(first.find("language.learned.1 /  8="), std::string::npos) << first;
  EXPECT_NE(first.find("12=null / interpolated 8="), std::string::npos) << first;  // no row; then stretched
}

TEST(Study, StoppedAndStartedAgainGoesOnWithTheFinishedCells) {
  const TemporaryFolder folder;
  const Watcher impatient = {.at_work =
                                 [](const CellName& name, double) {
                                   if (name.seed == 2) throw std::runtime_error("stop");
                                 },
                             .finished = {}};
  EXPECT_THROW(run(tiny(), folder.path(), impatient), std::runtime_error);
  int found = 0, fresh = 0;
  const Watcher counting = {.at_work = {},
                            .finished = [&](const Cell&, bool now) { ++(now ? fresh : found); }};
  const std::vector<Cell> cells = run(tiny(), folder.path(), counting);
  EXPECT_EQ(found, 3);
  EXPECT_EQ(fresh, 3);
  const TemporaryFolder other;
  EXPECT_EQ(scores(cells), scores(run(tiny(), other.path(), {})));
}

TEST(Study, AFolderOfAnotherStudyIsRefusedWithTheDifferences) {
  const TemporaryFolder folder;
  run(tiny(), folder.path(), {});
  Study other = tiny();
  other.conditions.steps = 4;
  expect_error(Fault::usage, {"holds another study", "steps: '4', was '3'"},
               [&] { run(other, folder.path(), {}); });
}

TEST(Study, EveryProblemIsFoundBeforeAnythingIsTrained) {
  Study study = tiny();
  study.schemes = "rotray";
  study.tasks = "langage";
  study.conditions.lengths = "1, 64";
  expect_error(Fault::usage,
               {"3 problems", "unknown task 'langage'; did you mean 'language'?",
                "unknown scheme 'rotray'; did you mean 'rotary'?", "lengths is '1, 64'"},
               [&] { check(study); });
  study = tiny();
  study.conditions.width = 9;
  expect_error(Fault::usage, {"width is 9, no multiple of heads, 2"}, [&] { check(study); });
}

TEST(Study, ACellsFileReadsBackToTheSame) {
  const TemporaryFolder folder;
  Cell cell{.name = {"copy", "none", 3},
            .rows = {{"", {{64, 0.1234567890123, ""}, {128, std::nan(""), "no \"row\""}}},
                     {"stretched", {{64, 1, ""}}}},
            .loss = 1.5,
            .parameters = 7,
            .step_seconds = 0.25,
            .step_bytes = 1 << 20};
  const auto path = folder / "cell.json";
  AtomicFile file(path);
  file.write(cell_json(cell));
  file.commit();
  EXPECT_EQ(cell_json(read_cell(path)), cell_json(cell));
  AtomicFile broken(path);
  broken.write("{\"task\": 5}");
  broken.commit();
  expect_error(Fault::data, {"no cell of a study", "remove it and it is run again"},
               [&] { read_cell(path); });
}

Summary made_up() {
  Summary summary{.lengths = {64, 512}, .trained = 64, .seeds = 2, .tasks = {}, .costs = {}};
  summary.tasks.push_back({&task("back"),
                           {{"none", "", {{0.1, 0.02, ""}, {0.1, 0, ""}}},
                            {"rotary", "", {{1, 0, ""}, {0.7, 0.1, ""}}},
                            {"shaw", "", {{1, 0, ""}, {0.99, 0, ""}}},
                            {"learned", "", {{0.97, 0, ""}, {std::nan(""), 0, "past the table"}}}}});
  summary.costs = {{"none", 0, 0.010, 1}, {"shaw", 5, 0.020, 1}};
  return summary;
}

TEST(Study, TheAnswerInWordsFollowsFromTheNumbers) {
  const std::vector<std::string> words = findings(made_up());
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0],
            "back: at the trained length of 64, rotary, shaw and learned solve it (95 % right or more); none "
            "(10 %) "
            "do not. At 512 tokens, 8 times that, shaw hold; rotary (70 %) do not; learned cannot be asked: "
            "no row of "
            "the table was learned for it.");
  EXPECT_EQ(
      words[1],
      "Cost: a training step takes, against no scheme at all, shaw 2.0 times; the others less than a quarter "
      "more.");
}

TEST(Study, ASpreadOverSeedsCountsAgainstAScheme) {
  Summary summary = made_up();
  summary.tasks[0].lines[3].scores[0] = {0.96, 0.08, ""};
  EXPECT_NE(findings(summary)[0].find("learned (96 %) do not"), std::string::npos);
}

}  // namespace
}  // namespace locus::study
