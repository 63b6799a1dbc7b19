// A study that grows step by step has the same results as one that had everything from the start.
#include "locus/study/growth.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "locus/study/summary.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

namespace fs = std::filesystem;

Study one_cell() {
  Study study = tiny();
  study.schemes = "none";
  study.seeds = 1;
  study.conditions.lengths = "8";
  return study;
}

// Runs the study of the folder together with what `wanted` adds.
std::vector<Cell> grow(const fs::path& folder, const Study& wanted) {
  return run(grown(*study_in(folder), wanted, folder), folder, {});
}

void expect_work(const Study& study, const fs::path& folder, int64_t found, int64_t to_test,
                 int64_t to_train) {
  const Work work = work_left(study, folder);
  EXPECT_EQ(work.found, found);
  EXPECT_EQ(work.to_test, to_test);
  EXPECT_EQ(work.to_train, to_train);
}

TEST(Growth, SchemesTasksSeedsAndLengthsGiveTheBitsOfOneStudy) {
  const TemporaryFolder folder, other;
  run(one_cell(), folder.path(), {});
  Study more = one_cell();
  more.schemes = "learned, rotary:base=100";
  const Study first = grown(one_cell(), more, folder.path());
  EXPECT_EQ(first.schemes, "none, learned, rotary:base=100");
  expect_work(first, folder.path(), 1, 0, 2);
  grow(folder.path(), more);
  more.tasks = "back";
  more.schemes = "none";
  EXPECT_EQ(grown(first, more, folder.path()).tasks, "language, back");
  grow(folder.path(), more);
  more.conditions.lengths = "20, 12";
  const Study longer = grown(*study_in(folder.path()), more, folder.path());
  EXPECT_EQ(longer.conditions.lengths, "8, 12, 20");
  expect_work(longer, folder.path(), 0, 6, 0);
  grow(folder.path(), more);
  more.seeds = 2;
  grow(folder.path(), more);
  more.conditions.lengths = "30";
  // The models of the second seed are not kept.
  expect_work(grown(*study_in(folder.path()), more, folder.path()), folder.path(), 0, 6, 6);
  const std::vector<Cell> cells = grow(folder.path(), more);

  Study whole = one_cell();
  whole.schemes = "none, learned, rotary:base=100";
  whole.tasks = "language, back";
  whole.seeds = 2;
  whole.conditions.lengths = "8, 12, 20, 30";
  EXPECT_EQ(study_toml(*study_in(folder.path())), study_toml(whole));
  const std::vector<Cell> straight = run(whole, other.path(), {});
  EXPECT_EQ(scores(cells), scores(straight));
  EXPECT_EQ(results_csv(whole, cells), results_csv(whole, straight));
  EXPECT_EQ(cells.size(), 12u);
}

TEST(Growth, FinishedCellsAreKept) {
  const TemporaryFolder folder;
  run(one_cell(), folder.path(), {});
  const fs::path file = folder / "cells" / "language.none.1.json";
  Cell marked = read_cell(file);
  marked.step_seconds = 123;
  write_file(file, cell_json(marked));
  Study more = one_cell();
  more.schemes = "t5";
  EXPECT_EQ(grow(folder.path(), more).front().step_seconds, 123);
  more.conditions.lengths = "12";
  const std::vector<Cell> tested = grow(folder.path(), more);
  EXPECT_EQ(tested.front().step_seconds, 123) << "a cell that is only tested keeps its costs";
  EXPECT_EQ(tested.front().rows.front().scores.size(), 2u);
}

TEST(Growth, TheOrderIsThatOfTheWholeListIfItIsGiven) {
  Study two = tiny(), three = tiny();
  two.schemes = "t5, none";
  three.schemes = "none, alibi, t5";
  EXPECT_EQ(grown(two, three, "f").schemes, "none, alibi, t5");
  three.schemes = "all";
  EXPECT_EQ(grown(two, three, "f").schemes, "all");
  EXPECT_EQ(grown(three, two, "f").schemes, "all");
  two.schemes = "rotary:base=500000";
  const Study both = grown(three, two, "f");
  EXPECT_EQ(both.scheme_list().size(), schemes().size() + 1);
  two.schemes = "all, rotary:base=500000";
  EXPECT_EQ(grown(three, two, "f").schemes, two.schemes);
}

TEST(Growth, SettingsOfTheCellsCannotChange) {
  const auto expect = [](std::initializer_list<const char*> values,
                         const std::function<void(Study&)>& change) {
    Study wanted = tiny();
    wanted.schemes = "alibi";
    change(wanted);
    expect_error(Fault::usage, Code::run_mismatch, values, [&] { grown(tiny(), wanted, "folder"); });
  };
  expect({"folder", "steps", "'4'", "'3'"}, [](Study& s) { s.conditions.steps = 4; });
  expect({"length: '10', was '8'"}, [](Study& s) { s.conditions.length = 10; });
  expect({"learning_rate"}, [](Study& s) { s.conditions.learning_rate = 0.5; });
  expect({"width: '16', was '8'"}, [](Study& s) { s.conditions.width = 16; });
  expect({"test_tokens"}, [](Study& s) { s.conditions.test_tokens = 99; });
}

TEST(Growth, AFolderWithMoreCellsIsNotOverwritten) {
  const TemporaryFolder folder;
  run(tiny(), folder.path(), {});
  Study fewer = tiny();
  fewer.schemes = "none";
  expect_error(Fault::usage, Code::run_mismatch, {folder.path().c_str(), "'none'", "none, learned, t5"},
               [&] { run(fewer, folder.path(), {}); });
}

TEST(Growth, ATextCanBeAddedButNotChanged) {
  const TemporaryFolder folder;
  const auto text = [&](const std::string& name, char letter) {
    write_file(folder / name, std::string(1000, letter) + std::string(1000, 'x'));
    return (folder / name).string();
  };
  const fs::path study_folder = folder / "study";
  run(one_cell(), study_folder, {});
  Study with_text = one_cell();
  with_text.text = text("a.txt", 'a');
  with_text.tasks = "";
  const std::vector<Cell> cells = grow(study_folder, with_text);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].name.text(), "text.none.1");
  with_text.text = text("b.txt", 'b');
  expect_error(Fault::usage, Code::run_mismatch, {"b.txt"}, [&] { grow(study_folder, with_text); });
  with_text.text = text("moved.txt", 'a');
  EXPECT_EQ(grow(study_folder, with_text).size(), 2u);
  with_text.tokenizer = "learn:256";
  expect_error(Fault::usage, Code::run_mismatch, {"tokenizer", "'learn:256'", "'bytes'"},
               [&] { grow(study_folder, with_text); });
}

}  // namespace
}  // namespace locus::study
