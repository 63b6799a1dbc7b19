#include "locus/study/ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "locus/base/file.h"
#include "locus/study/cell_job.h"
#include "locus/study/cell_queue.h"
#include "locus/study/growth.h"
#include "tests/dist/ranks.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

namespace fs = std::filesystem;

// What run() computes with several ranks. `stop` is asked on every rank.
struct Shared {
  std::vector<Cell> cells;
  std::vector<std::optional<Error>> errors;
  std::vector<int> stopped;
};

Shared run_shared(
    int size, const Study& study, const fs::path& folder, const Watcher& watcher = {},
    const std::function<int(int rank)>& stop = [](int) { return 0; }) {
  Shared shared{.stopped = std::vector<int>(static_cast<size_t>(size))};
  shared.errors = dist::run_ranks(size, [&](dist::Transport& transport) {
    const int rank = transport.rank();
    const dist::StopAsked asked = [&stop, rank] { return stop(rank); };
    if (rank > 0) {
      shared.stopped[rank] = help(transport, study.conditions.device, asked);
      return;
    }
    Watcher own = watcher;
    own.stop = asked;
    try {
      shared.cells = run(study, folder, own, transport);
    } catch (const dist::Stop& request) {
      shared.stopped[0] = request.number;
    }
  });
  for (const auto& error : shared.errors) EXPECT_FALSE(error) << error->what();
  return shared;
}

// The files of a study without its measurements.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder);
    if (!entry.is_regular_file() || name == "lock") continue;
    files[name] =
        entry.path().extension() == ".json" ? scores({read_cell(entry.path())}) : read_file(entry.path());
  }
  return files;
}

TEST(StudyRanks, AnyNumberGivesTheSameFiles) {
  Study study = tiny();
  study.schemes = "none, learned, t5, rotary";
  const TemporaryFolder alone(in_memory());
  const std::string expected = scores(run(study, alone.path(), {}));
  for (const int size : {1, 2, 3, 5, 12}) {
    SCOPED_TRACE(size);
    const TemporaryFolder folder(in_memory());
    std::set<std::string> told;
    const Watcher watcher{.finished = [&](const Cell& cell, bool) { told.insert(cell.name.text()); }};
    EXPECT_EQ(scores(run_shared(size, study, folder.path(), watcher).cells), expected);
    EXPECT_EQ(told.size(), study.cells().size());
    EXPECT_EQ(files_of(folder.path()), files_of(alone.path()));
  }
}

// New schemes are trained, and kept models are tested at the new lengths, on any rank.
TEST(StudyRanks, AStudyGrows) {
  Study wide = tiny();
  wide.schemes = "none, learned, t5, rotary";
  wide.conditions.lengths = "8, 12, 20";
  const TemporaryFolder alone(in_memory()), folder(in_memory());
  const std::string expected = scores(run(wide, alone.path(), {}));
  run_shared(2, tiny(), folder.path());
  const Study both = grown(tiny(), wide, folder.path());
  const Work work = work_left(both, folder.path());
  EXPECT_EQ(work.to_test, 3);
  EXPECT_EQ(work.to_train, 5);
  EXPECT_EQ(scores(run_shared(3, both, folder.path()).cells), expected);
  EXPECT_EQ(files_of(folder.path()), files_of(alone.path()));
}

TEST(StudyRanks, AStopOnAnyRankKeepsFinishedCells) {
  const Study study = tiny();
  const TemporaryFolder alone(in_memory());
  const std::string expected = scores(run(study, alone.path(), {}));
  for (int asks = 0; asks < 3; ++asks) {
    SCOPED_TRACE(asks);
    const TemporaryFolder folder(in_memory());
    std::atomic<int> finished = 0;
    const Watcher watcher{.finished = [&](const Cell&, bool) { ++finished; }};
    const Shared shared = run_shared(3, study, folder.path(), watcher,
                                     [&](int rank) { return rank == asks && finished > 0 ? 15 : 0; });
    for (const int number : shared.stopped) EXPECT_EQ(number, 15);
    EXPECT_EQ(work_left(study, folder.path()).found, finished);
    EXPECT_GT(finished, 0);
    EXPECT_EQ(scores(run_shared(2, study, folder.path()).cells), expected);
  }
}

TEST(StudyRanks, ADeadRankIsNamedAndCellsAreKept) {
  Study study = tiny();
  study.seeds = 8;
  const TemporaryFolder folder(in_memory());
  std::atomic<int> finished = 0;
  const Watcher watcher{.finished = [&](const Cell&, bool) { ++finished; }};
  const auto errors = dist::run_ranks(3, [&](dist::Transport& transport) {
    const auto die = [&]() -> int {
      if (transport.rank() == 2 && finished > 0) fail(Fault::resource, "out of memory");
      return 0;
    };
    transport.rank() == 0 ? (void)run(study, folder.path(), watcher, transport)
                          : (void)help(transport, Device::cpu, die);
  });
  ASSERT_TRUE(errors[0] && errors[1] && errors[2]);
  EXPECT_EQ(errors[0]->fault(), Fault::peer);
  expect_named(*errors[0], {"rank 2"});
  EXPECT_EQ(work_left(study, folder.path()).found, finished);
}

TEST(StudyRanks, AnotherTextIsRefused) {
  const TemporaryFolder folder(in_memory());
  const auto text = [&](const char* name, const std::string& words) {
    write_file(folder / name, words);
    return (folder / name).string();
  };
  std::string words;
  for (int i = 0; i < 200; ++i) words += "eight by ";
  Study study = tiny();
  study.tasks = "";
  study.text = text("a.txt", words);
  study.task_list();  // reads it
  text("a.txt", words + "x");
  const auto errors = dist::run_ranks(2, [&](dist::Transport& transport) {
    transport.rank() == 0 ? (void)run(study, folder / "study", {}, transport)
                          : (void)help(transport, Device::cpu, {});
  });
  ASSERT_TRUE(errors[0] && errors[1]);
  for (const auto& error : errors) {
    EXPECT_EQ(error->fault(), Fault::peer);
    expect_named(*error, {"rank 1", "text", "1800", "1801"});
  }
}

TEST(CellQueue, TakesTheLongestFirst) {
  Study study = tiny();
  study.tasks = "language, copy";
  CellQueue queue(study, true), in_order(study, false);
  const auto add = [&](const CellName& name, bool only_tests) {
    queue.add(name, only_tests);
    in_order.add(name, only_tests);
  };
  const int64_t effort = study.task_named("copy").effort;
  ASSERT_GT(effort, 1);
  add({"language", "none", 1}, true);
  add({"language", "t5", 1}, false);
  add({"language", "learned", 1}, false);
  add({"language", "rotary", 1}, false);
  add({"copy", "none", 1}, false);
  queue.learn({.name = {"language", "t5", 2}, .step_seconds = 1});
  queue.learn({.name = {"language", "learned", 2}, .step_seconds = 2});
  std::vector<std::string> taken;
  while (!queue.empty()) taken.push_back(queue.take().text());
  EXPECT_EQ(taken, (std::vector<std::string>{"copy.none.1", "language.learned.1", "language.rotary.1",
                                             "language.t5.1", "language.none.1"}));
  EXPECT_EQ(in_order.take().text(), "language.none.1");
}

TEST(CellJob, RefusesResultsOfAnotherCell) {
  const Study study = tiny();
  const CellName name = study.cells().front();
  const Finished finished = compute(study, {.name = name}, [](double) {});
  const std::vector<std::byte> bytes = encode(finished);
  EXPECT_EQ(cell_json(decode_finished(study, name, bytes, "rank 1").cell), cell_json(finished.cell));
  CellName other = name;
  other.seed = 2;
  expect_error(Fault::peer, {"rank 1", name.text().c_str(), other.text().c_str()},
               [&] { decode_finished(study, other, bytes, "rank 1"); });
  for (const size_t size : {size_t{0}, size_t{9}, bytes.size() - 1}) {
    expect_error(Fault::peer, {"rank 1"},
                 [&] { decode_finished(study, name, std::span(bytes).first(size), "rank 1"); });
  }
}

}  // namespace
}  // namespace locus::study
