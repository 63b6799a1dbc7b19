// Running the commands that apply a model to texts, on the golden models and on files of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apply/expected.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {

inline std::string model(const std::string& job) { return golden_model(job).string(); }

inline std::string expect_fine(const std::string& arguments, const std::string& err = "") {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
  EXPECT_EQ(outcome.err, err) << arguments;
  return outcome.out;
}

inline void expect_fault(int exit_code, const std::string& arguments, const std::string& message) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

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
