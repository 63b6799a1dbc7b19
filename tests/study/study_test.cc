#include "locus/study/study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/base/file.h"
#include "locus/base/parallel.h"
#include "locus/op/cross_entropy.h"
#include "locus/study/batch.h"
#include "locus/study/summary.h"
#include "tests/expect_error.h"
#include "tests/other_device.h"
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
  EXPECT_NE(first.find("12=null "), std::string::npos) << first;  // no row
  EXPECT_NE(first.find(" / interpolated 8="), std::string::npos) << first;
}

// In memory that the host cannot read.
TEST(Study, HasTheSameResultsOnADevice) {
  const TemporaryFolder folder, other;
  Study study = tiny();
  study.schemes = "none, learned, t5, fire, kerple, rotary";
  const std::vector<Cell> wanted = run(study, folder.path(), {});
  study.conditions.device = testing::other_device();
  const std::vector<Cell> got = run(study, other.path(), {});
  if (testing::other_device() == Device::fenced) {
    EXPECT_EQ(scores(got), scores(wanted));
    return;
  }
  constexpr double kLoss = 1e-3;  // after three steps
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i].loss, wanted[i].loss, kLoss);
}

TEST(Study, AnInterruptedStudyResumes) {
  const TemporaryFolder folder;
  const Watcher impatient = {.progress =
                                 [](const CellName& name, double) {
                                   if (name.seed == 2) throw std::runtime_error("stop");
                                 },
                             .finished = {}};
  EXPECT_THROW(run(tiny(), folder.path(), impatient), std::runtime_error);
  int found = 0, fresh = 0;
  const Watcher counting = {.progress = {},
                            .finished = [&](const Cell&, bool trained) { ++(trained ? fresh : found); }};
  const std::vector<Cell> cells = run(tiny(), folder.path(), counting);
  EXPECT_EQ(found, 3);
  EXPECT_EQ(fresh, 3);
  const TemporaryFolder other;
  EXPECT_EQ(scores(cells), scores(run(tiny(), other.path(), {})));
}

TEST(Study, AFolderWithOtherSettingsIsAnErrorWithTheDifferences) {
  const TemporaryFolder folder;
  run(tiny(), folder.path(), {});
  Study other = tiny();
  other.conditions.steps = 4;
  expect_error(Fault::usage, Code::run_mismatch, {folder.path().c_str(), "steps", "'4'", "'3'"},
               [&] { run(other, folder.path(), {}); });
}

TEST(Study, AllProblemsAreReportedBeforeTraining) {
  Study study = tiny();
  study.schemes = "rotray";
  study.tasks = "langage";
  study.conditions.lengths = "1, 64";
  expect_error(Fault::usage, {"'langage'", "'language'", "'rotray'", "'rotary'", "lengths", "'1, 64'"},
               [&] { check(study); });
  study = tiny();
  study.conditions.width = 9;
  expect_error(Fault::usage, {"width", "9", "heads", "2"}, [&] { check(study); });
}

TEST(Study, ACellFileReadsBackToTheSameCell) {
  const TemporaryFolder folder;
  Cell cell{.name = {"copy", "none", 3},
            .rows = {{"",
                      {{64, 0.1234567890123, ""}, {128, std::nan(""), "no \"row\""}},
                      {{0, 8, 0.5}, {8, 64, std::nan("")}}},
                     {"stretched", {{64, 1, ""}}, {{0, 64, 1.25}}}},
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
  expect_error(Fault::data, Code::damaged_file, {path.c_str()}, [&] { read_cell(path); });
}

TEST(Study, AFoundCellMustMatchItsName) {
  const TemporaryFolder folder;
  const Study study = tiny();
  const std::vector<Cell> cells = run(study, folder.path(), {});
  const auto path = folder / "cells" / (cells[1].name.text() + ".json");
  const auto expect = [&](std::initializer_list<const char*> values,
                          const std::function<void(Cell&)>& change) {
    Cell cell = cells[1];
    change(cell);
    write_file(path, cell_json(cell));
    const auto call = [&] { run(study, folder.path(), {}); };
    expect_error(Fault::data, Code::damaged_file, {path.c_str(), "language.learned.1"}, call);
    expect_error(Fault::data, Code::damaged_file, values, call);
  };
  expect({"'language.none.1'"}, [&](Cell& cell) { cell.name = cells[0].name; });
  expect({"1 rows", "2"}, [](Cell& cell) { cell.rows.pop_back(); });
  expect({"row 2", "'x'"}, [](Cell& cell) { cell.rows[1].variant = "x"; });
  expect({"row 1", "lengths"}, [](Cell& cell) { cell.rows[0].scores.pop_back(); });
  expect({"row 2", "lengths"}, [](Cell& cell) { cell.rows[1].scores[0].length = -8; });
  expect({"row 2", "by position"}, [](Cell& cell) { cell.rows[1].by_position.clear(); });  // an older cell
  expect({"row 2", "positions"}, [](Cell& cell) { cell.rows[1].by_position[0].begin = -1; });
  expect({"row 2", "positions"}, [](Cell& cell) { cell.rows[1].by_position.back().end = 1 << 30; });
  expect({"row 2", "loss", "-2"}, [](Cell& cell) { cell.rows[1].by_position[0].loss = -2; });
  expect({"row 2", "loss", "1e+40"}, [](Cell& cell) { cell.rows[1].by_position[0].loss = 1e40; });
  expect({"length 8", "-1"}, [](Cell& cell) { cell.rows[0].scores[0].value = -1; });
  expect({"cost", "negative"}, [](Cell& cell) { cell.parameters = -1; });
  for (const double seconds : {0.0, 1e300}) {
    expect({"step", fmt::format("{} seconds", seconds).c_str()},
           [=](Cell& cell) { cell.step_seconds = seconds; });
  }
}

TEST(Study, ACellWithoutItsModelIsRunAgain) {
  const TemporaryFolder folder;
  const std::vector<Cell> cells = run(tiny(), folder.path(), {});
  const auto model = model_file(folder.path(), cells[1].name);
  std::filesystem::remove(model);
  std::string again;
  run(tiny(), folder.path(), {.progress = {}, .finished = [&](const Cell& cell, bool trained) {
                                if (trained) again += cell.name.text();
                              }});
  EXPECT_EQ(again, cells[1].name.text());
  EXPECT_TRUE(std::filesystem::exists(model));
}

TEST(Study, AFolderWithOtherFilesIsLeftAlone) {
  const TemporaryFolder folder;
  write_file(folder / "thesis.part", "mine");
  expect_error(Fault::usage, {folder.path().c_str(), "'cells'"}, [&] { run(tiny(), folder.path(), {}); });
  EXPECT_EQ(read_file(folder / "thesis.part"), "mine");
}

TEST(Study, PositionBinsCoverTheTextAndMeetAtTheTrainedLength) {
  for (const auto& [trained, length] :
       {std::pair<int64_t, int64_t>{64, 512}, {10, 10}, {100, 3000}, {4, 6}}) {
    const std::vector<PositionLoss> bins = position_bins(trained, length);
    ASSERT_FALSE(bins.empty());
    EXPECT_EQ(bins.front().begin, 0);
    EXPECT_EQ(bins.back().end, length);
    bool meets = false;
    for (size_t i = 0; i < bins.size(); ++i) {
      EXPECT_LT(bins[i].begin, bins[i].end);
      if (i > 0) {
        EXPECT_EQ(bins[i].begin, bins[i - 1].end);
      }
      meets |= bins[i].end == trained;
    }
    EXPECT_TRUE(meets) << trained << " " << length;
  }
  EXPECT_EQ(position_bins(64, 512).size(), 13u);
}

// The losses by position of a text are those of the perplexity over all of them.
TEST(Study, LossesByPositionAddUpToThePerplexity) {
  const TemporaryFolder folder;
  for (const Cell& cell : run(tiny(), folder.path(), {})) {
    const Row& row = cell.rows.back();
    double sum = 0, count = 0;
    for (const PositionLoss& bin : row.by_position) {
      // The name at position 1 is not a target.
      const double targets = static_cast<double>(bin.end - bin.begin) - (bin.begin == 0 ? 1 : 0);
      sum += bin.loss * targets;
      count += targets;
    }
    double last = 0;
    for (const Score& score : row.scores) last = std::isnan(score.value) ? last : score.value;
    EXPECT_NEAR(std::exp(sum / count), last, 1e-9) << cell.name.text();
  }
}

TEST(Study, TwoSeedsDifferAndAreBothKept) {
  const TemporaryFolder folder;
  Study study = tiny();
  study.schemes = "rotary";
  const std::vector<Cell> cells = run(study, folder.path(), {});
  ASSERT_EQ(cells.size(), 2u);
  const double first = cells[0].rows[0].scores[0].value, second = cells[1].rows[0].scores[0].value;
  EXPECT_NE(first, second);
  const Mean mean = summarize(study, cells).tasks[0].lines[0].scores[0];
  EXPECT_DOUBLE_EQ(mean.value, (first + second) / 2);
  EXPECT_DOUBLE_EQ(mean.spread, std::abs(first - second));
}

TEST(Study, OptionsFollowFromTheTrainedLength) {
  const auto options = [](int64_t length, const char* scheme) {
    return blueprint({.length = length}, task("language"), scheme).scheme_options;
  };
  EXPECT_EQ(options(64, "t5"), (OptionValues{{"max_distance", "32"}}));
  EXPECT_EQ(options(256, "t5"), (OptionValues{{"max_distance", "64"}}));
  EXPECT_EQ(options(512, "t5"), OptionValues{});
  EXPECT_EQ(options(64, "shaw"), OptionValues{});
  EXPECT_EQ(options(32, "shaw"), (OptionValues{{"max_distance", "8"}}));
  EXPECT_EQ(options(64, "deberta"), (OptionValues{{"buckets", "32"}, {"max_distance", "63"}}));
  EXPECT_EQ(options(64, "fire"), (OptionValues{{"threshold", "16"}}));
  EXPECT_EQ(options(64, "xpos"), (OptionValues{{"scale_base", "32"}}));
  EXPECT_EQ(options(64, "rotary"), OptionValues{});
  EXPECT_EQ(options(64, "learned+t5"), (OptionValues{{"t5.max_distance", "32"}}));
}

// The elements of the scheme's parameters that get a gradient from texts of this length.
std::vector<bool> reached(const Conditions& conditions, const Task& task, std::string_view scheme,
                          int64_t length) {
  const Model model(blueprint(conditions, task, scheme), Model::Options{.seed = 1});
  const Batch data = batch(task, length, 1, List::training, 0, 4);
  op::cross_entropy(model(data.tokens), data.targets).backward();
  std::vector<bool> result;
  for (const NamedParameter& parameter : model.parameters().all()) {
    if (parameter.name.find(".scheme.") == std::string::npos) continue;
    const Tensor gradient = parameter.var.grad();
    for (const float value : gradient.values()) result.push_back(value != 0);
  }
  return result;
}

// A table whose last rows are read in longer texts only would be tested with random values.
TEST(Study, NoParameterIsFirstReadPastTheTrainedLength) {
  const Conditions conditions{.width = 16, .layers = 1, .heads = 2, .hidden = 16};
  for (const char* name : {"language", "masked-language"}) {
    for (const SchemeInfo* scheme : schemes()) {
      // FIRE has no table: a unit of its network may be active at distance 0 only, by chance of its initial
      // values, and at other small fractions of longer texts.
      if (!scheme->extrapolates || scheme->name == "fire") continue;
      const std::vector<bool> trained = reached(conditions, task(name), scheme->name, conditions.length);
      const std::vector<bool> longer = reached(conditions, task(name), scheme->name, 4 * conditions.length);
      for (size_t i = 0; i < trained.size(); ++i) {
        EXPECT_TRUE(trained[i] || !longer[i]) << name << " " << scheme->name << " element " << i;
      }
    }
  }
}

TEST(Study, ReadsTheTomlThatItWrites) {
  const TemporaryFolder folder;
  write_file(folder / "a.toml", study_toml(tiny()));
  EXPECT_EQ(study_toml(read_study(folder / "a.toml")), study_toml(tiny()));
  write_file(folder / "b.toml", "steps = 5\nlengths = [16, 96]\n");
  EXPECT_EQ(read_study(folder / "b.toml").conditions.test_lengths(), (std::vector<int64_t>{16, 64, 96}));
  write_file(folder / "c.toml", "steps = 5\nseed = 3\n");
  expect_error(Fault::data, {"c.toml:2", "'seed'", "'seeds'"}, [&] { read_study(folder / "c.toml"); });
  write_file(folder / "d.toml", "layers = 0\n");
  expect_error(Fault::usage, {"d.toml", "layers", "'0'"}, [&] { read_study(folder / "d.toml"); });
}

TEST(Study, TestLengthsFollowFromTheTrainedLength) {
  const auto lengths = [](int64_t length, const char* list) {
    return Conditions{.length = length, .lengths = list}.test_lengths();
  };
  EXPECT_EQ(lengths(64, ""), (std::vector<int64_t>{64, 128, 256, 512}));
  EXPECT_EQ(lengths(100, " "), (std::vector<int64_t>{100, 200, 400, 800}));
  EXPECT_EQ(lengths(64, "256"), (std::vector<int64_t>{64, 256}));
  EXPECT_EQ(lengths(64, "32, 64"), (std::vector<int64_t>{32, 64}));
  expect_error(Fault::usage, {"16, 32", "64"}, [&] { lengths(64, "16, 32"); });
  Study study = tiny();
  study.conditions.lengths = "4, 6";
  expect_error(Fault::usage, {"4, 6", "8"}, [&] { check(study); });
}

TEST(Study, ATextTooShortForTheLongestTestIsAnErrorBeforeTraining) {
  const TemporaryFolder folder;
  write_file(folder / "t.txt", std::string(2000, 'a'));
  Study study = tiny();
  study.tasks = "";
  study.text = (folder / "t.txt").string();
  check(study);
  study.conditions.lengths = "8, 300";
  expect_error(Fault::usage, {"t.txt", "200", "301"}, [&] { check(study); });
}

}  // namespace
}  // namespace locus::study
