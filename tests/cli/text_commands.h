// Runs the commands that apply a model to texts, on the golden models and on files of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tests/apply/expected.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {

inline std::string model(const std::string& job) { return golden_model(job).string(); }

// The command succeeds and prints one line to stderr for each list of values, which that line names.
inline std::string expect_notes(const std::string& arguments,
                                std::initializer_list<std::initializer_list<std::string_view>> notes) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
  std::istringstream lines(outcome.err);
  std::string line;
  for (const auto& values : notes) {
    EXPECT_TRUE(std::getline(lines, line)) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(line.starts_with("locus: ")) << line;
    expect_values(line, values);
  }
  EXPECT_FALSE(std::getline(lines, line)) << arguments << "\n" << line;
  return outcome.out;
}

inline std::string expect_fine(const std::string& arguments) { return expect_notes(arguments, {}); }

inline size_t lines_in(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

class TextCommands : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    put(folder / name, text);
    return (folder / name).string();
  }
  const TemporaryFolder folder{in_memory()};
};

}  // namespace locus
