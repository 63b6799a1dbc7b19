// Studies that are killed, or whose disk is full, at a file operation: no finished cell is lost, and the
// resumed study gives the same results as an undisturbed one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int code = 0;  // 137 when it was killed
  std::string out;
};

Ended study_in(const fs::path& folder, const std::string& fault = "") {
  const TemporaryFolder said(in_memory());
  const std::string command = fmt::format("{} '{}' {} >'{}' 2>/dev/null", LOCUS_STUDENT, folder.string(),
                                          fault, (said / "out").string());
  const int status = std::system(command.c_str());
  std::ifstream out(said / "out");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          {std::istreambuf_iterator<char>(out), {}}};
}

std::vector<fs::path> finished_cells(const fs::path& folder) {
  std::vector<fs::path> cells;
  if (!fs::exists(folder / "cells")) return cells;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cells")) {
    if (entry.path().extension() == ".json") cells.push_back(entry.path());
  }
  return cells;
}

class InterruptedStudySlow : public ::testing::TestWithParam<std::pair<const char*, int>> {};
INSTANTIATE_TEST_SUITE_P(By, InterruptedStudySlow,
                         ::testing::Values(std::pair("kill", 137), std::pair("fail", 4)),
                         [](const auto& test) { return std::string(test.param.first); });

// Every third operation, for speed: the number of operations of a cell is not a multiple of three.
TEST_P(InterruptedStudySlow, KeepsFinishedCellsAndResumes) {
  const auto [kind, code] = GetParam();
  const TemporaryFolder straight(in_memory());
  const Ended expected = study_in(straight.path());
  ASSERT_EQ(expected.code, 0);
  int operation = 1, ended = code;
  size_t most = 0;
  for (; ended == code && operation < 200; operation += 3) {
    SCOPED_TRACE(operation);
    const TemporaryFolder broken(in_memory());
    ended = study_in(broken.path(), fmt::format("{} {}", kind, operation)).code;
    const std::vector<fs::path> cells = finished_cells(broken.path());
    most = std::max(most, cells.size());
    for (const fs::path& cell : cells) EXPECT_NO_THROW(read_cell(cell));
    const Ended after = study_in(broken.path());
    EXPECT_EQ(after.code, 0);
    EXPECT_EQ(after.out, expected.out);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(broken.path())) {
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    }
  }
  EXPECT_EQ(ended, 0);
  EXPECT_GT(operation, 20);
  EXPECT_EQ(most, 3u);
}

}  // namespace
}  // namespace locus::study
