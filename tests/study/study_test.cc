#include "locus/study/study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/study/summary.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

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
  cell.rows[0].scores[0].value = std::numeric_limits<double>::infinity();  // of a perplexity
  write_file(path, cell_json(cell));
  EXPECT_EQ(read_cell(path).rows[0].scores[0].value, cell.rows[0].scores[0].value);
  AtomicFile broken(path);
  broken.write("{\"task\": 5}");
  broken.commit();
  expect_error(Fault::data, {"no cell of a study", "remove it and it is run again"},
               [&] { read_cell(path); });
}

TEST(Study, AFoundCellMustBeTheOneOfItsName) {
  const TemporaryFolder folder;
  const Study study = tiny();
  const std::vector<Cell> cells = run(study, folder.path(), {});
  const auto path = folder / "cells" / (cells[1].name.text() + ".json");
  const auto expect = [&](const char* problem, const std::function<void(Cell&)>& change) {
    Cell cell = cells[1];
    change(cell);
    write_file(path, cell_json(cell));
    expect_error(Fault::data, {path.c_str(), problem, "remove it and it is run again"},
                 [&] { run(study, folder.path(), {}); });
  };
  expect("it is the cell 'language.none.1'", [&](Cell& cell) { cell.name = cells[0].name; });
  expect("it has 1 rows", [](Cell& cell) { cell.rows.pop_back(); });
  expect("row 2 is 'x'", [](Cell& cell) { cell.rows[1].variant = "x"; });
  expect("row 1 has other lengths", [](Cell& cell) { cell.rows[0].scores.pop_back(); });
  expect("row 2 has other lengths", [](Cell& cell) { cell.rows[1].scores[0].length = -8; });
  expect("the score at length 8 is -1", [](Cell& cell) { cell.rows[0].scores[0].value = -1; });
  expect("it has a negative cost", [](Cell& cell) { cell.parameters = -1; });
}

TEST(Study, ACellWithoutItsModelIsRunAgain) {
  const TemporaryFolder folder;
  const std::vector<Cell> cells = run(tiny(), folder.path(), {});
  const auto model = model_file(folder.path(), cells[1].name);
  std::filesystem::remove(model);
  std::string again;
  run(tiny(), folder.path(), {.at_work = {}, .finished = [&](const Cell& cell, bool now) {
                                if (now) again += cell.name.text();
                              }});
  EXPECT_EQ(again, cells[1].name.text());
  EXPECT_TRUE(std::filesystem::exists(model));
}

TEST(Study, AFolderWithOtherThingsIsRefusedAsItIs) {
  const TemporaryFolder folder;
  write_file(folder / "thesis.part", "mine");
  expect_error(Fault::usage, {"holds other things, and no folder 'cells' of an earlier start"},
               [&] { run(tiny(), folder.path(), {}); });
  EXPECT_EQ(read_file(folder / "thesis.part"), "mine");
}

Summary made_up() {
  Summary summary{.lengths = {64, 128, 512}, .trained = 64, .seeds = 2, .tasks = {}, .costs = {}};
  summary.tasks.push_back(
      {&task("back"),
       {{"none", "", {{0.1, 0.02, ""}, {0.1, 0, ""}, {0.1, 0, ""}}},
        {"rotary", "", {{1, 0, ""}, {0.96, 0, ""}, {0.7, 0.1, ""}}},
        {"shaw", "", {{1, 0, ""}, {1, 0, ""}, {0.99, 0, ""}}},
        {"learned", "", {{0.97, 0, ""}, {std::nan(""), 0, "past"}, {std::nan(""), 0, "past"}}}}});
  summary.costs = {{"none", 0, 0.010, 1}, {"shaw", 5, 0.020, 1}};
  return summary;
}

TEST(Study, TheAnswerInWordsFollowsFromTheNumbers) {
  const std::vector<std::string> words = findings(made_up());
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(
      words[0],
      "back: at the trained length of 64 tokens rotary, shaw and learned solve it (95 % right or more); "
      "none (10.0 % ± 1.0) does not. On longer texts shaw holds up to 512 tokens; rotary (70 % at 512) holds "
      "up to "
      "128; "
      "learned "
      "cannot be asked past 64, the end of the table.");
  EXPECT_EQ(words[1], "Cost: a training step took here, against no scheme at all, shaw 2.0 times.");
}

TEST(Study, ALossThatIsNoNumberIsNotTheEndOfATable) {
  Summary summary = made_up();
  for (size_t i : {1, 2}) summary.tasks[0].lines[1].scores[i] = {std::nan(""), 0, std::string(kNoNumber)};
  EXPECT_TRUE(findings(summary)[0].ends_with(
      "learned cannot be asked past 64, the end of the table; rotary gave no number past 64."))
      << findings(summary)[0];
}

TEST(Study, TheCostOfOthersIsNamedWhereThereAreOthers) {
  Summary summary = made_up();
  summary.costs.push_back({"rotary", 0, 0.011, 1});
  EXPECT_EQ(
      findings(summary)[1],
      "Cost: a training step took here, against no scheme at all, shaw 2.0 times; the others less than a "
      "quarter more.");
}

TEST(Study, WhoDoesNotSolveATaskForItsSpreadDoesNotHoldEither) {
  Summary summary = made_up();
  summary.tasks[0].lines = {{"shaw", "", {{0.96, 0.04, ""}, {0.96, 0, ""}, {0.96, 0, ""}}}};
  EXPECT_EQ(findings(summary)[0],
            "back: at the trained length of 64 tokens no scheme solves it (95 % right or more): shaw (96.0 % "
            "± 2.0). "
            "On longer texts no scheme holds up to 512 tokens.");
}

TEST(Study, PerplexityIsComparedWithTheLowest) {
  Summary summary = made_up();
  summary.tasks[0] = {&task("language"),
                      {{"none", "", {{5, 0, ""}, {5.1, 0, ""}, {5.2, 0, ""}}},
                       {"alibi", "", {{3.5, 0, ""}, {3.5, 0, ""}, {3.5, 0, ""}}},
                       {"sinusoidal", "", {{3.6, 0, ""}, {6, 0, ""}, {10, 0, ""}}}}};
  EXPECT_EQ(
      findings(summary)[0],
      "language: at the trained length of 64 tokens alibi (3.50) and sinusoidal (3.60) have the lowest "
      "perplexity, within 5 %; none (5.00) has more. On longer texts none and alibi hold up to 512 tokens; "
      "sinusoidal (10.00 at 512) does not hold at 128.");
}

TEST(Study, TheFirstSentenceNamesWhoIsGoodOnEveryTask) {
  Summary summary = made_up();
  summary.tasks.push_back(summary.tasks[0]);
  EXPECT_EQ(findings(summary)[0], "Trained at 64 tokens, shaw is good on every task and stays so up to 512.");
  summary.tasks[1].lines[2].scores[2].value = 0.5;
  EXPECT_EQ(findings(summary)[0],
            "Trained at 64 tokens, no scheme is good on every task and stays so up to 512.");
}

TEST(Study, AnEncoderIsNotBlamedForWhatItsSchemeCannotTell) {
  Summary summary = made_up();
  summary.tasks[0].task = &task("back-encoder");
  summary.tasks[0].lines[1] = {"alibi", "", {{0.5, 0, ""}, {0.5, 0, ""}, {0.5, 0, ""}}};
  const std::string because = "alibi knows how far apart two tokens are and not which comes first";
  EXPECT_NE(findings(summary)[0].find(because), std::string::npos) << findings(summary)[0];
  for (const char* other : {"back", "majority"}) {  // a decoder; a task that asks for no order
    summary.tasks[0].task = &task(other);
    EXPECT_EQ(findings(summary)[0].find(because), std::string::npos) << other;
  }
}

TEST(Study, ASpreadOverSeedsCountsAgainstAScheme) {
  Summary summary = made_up();
  summary.tasks[0].lines[3].scores[0] = {0.96, 0.08, ""};
  EXPECT_NE(findings(summary)[0].find("none (10.0 % ± 1.0) and learned (96.0 % ± 4.0) do not"),
            std::string::npos);
}

TEST(Study, TwoSeedsDifferAndAreBothKept) {
  const TemporaryFolder folder;
  Study study = tiny();
  study.schemes = "rotary";
  const std::vector<Cell> cells = run(study, folder.path(), {});
  ASSERT_EQ(cells.size(), 2u);
  const double first = cells[0].rows[0].scores[0].value, second = cells[1].rows[0].scores[0].value;
  EXPECT_NE(first, second);
  const Mean mean = summarise(study, cells).tasks[0].lines[0].scores[0];
  EXPECT_DOUBLE_EQ(mean.value, (first + second) / 2);
  EXPECT_DOUBLE_EQ(mean.spread, std::abs(first - second));
}

TEST(Study, NoTableEndsPastTheTrainedLength) {
  const auto options = [](int64_t length, const char* scheme) {
    return blueprint({.length = length}, task("language"), scheme).scheme_options;
  };
  EXPECT_EQ(options(64, "t5"), (OptionValues{{"max_distance", "32"}}));
  EXPECT_EQ(options(512, "t5"), OptionValues{});
  EXPECT_EQ(options(64, "rotary"), OptionValues{});
}

TEST(Study, ReadsFromTomlWhatItWrites) {
  const TemporaryFolder folder;
  write_file(folder / "a.toml", study_toml(tiny()));
  EXPECT_EQ(study_toml(read_study(folder / "a.toml")), study_toml(tiny()));
  write_file(folder / "b.toml", "steps = 5\nlengths = [16, 32]\n");
  EXPECT_EQ(read_study(folder / "b.toml").conditions.test_lengths(), (std::vector<int64_t>{16, 32, 64}));
  write_file(folder / "c.toml", "steps = 5\nseed = 3\n");
  expect_error(Fault::data, {"c.toml:2: unknown key 'seed'; did you mean 'seeds'?"},
               [&] { read_study(folder / "c.toml"); });
  write_file(folder / "d.toml", "layers = 0\n");
  expect_error(Fault::usage, {"d.toml", "layers is '0'"}, [&] { read_study(folder / "d.toml"); });
}

TEST(Study, ATextTooShortForTheLongestTestIsRefusedBeforeTraining) {
  const TemporaryFolder folder;
  write_file(folder / "t.txt", std::string(2000, 'a'));
  Study study = tiny();
  study.tasks = "";
  study.text = (folder / "t.txt").string();
  check(study);
  study.conditions.lengths = "8, 300";
  expect_error(Fault::usage, {"its test part of 200 bytes is shorter than one example of 301"},
               [&] { check(study); });
}

}  // namespace
}  // namespace locus::study
