// A folder with a text and the configuration of a run on it, for tests of locus train and of the commands
// that use its runs.
#pragma once

#include <gtest/gtest.h>

#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {

class TrainCommand : public ::testing::Test {
 protected:
  TrainCommand() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcdefgh";
    put(folder / "x.txt", text);
    put(folder / "run.toml",
        "[model]\nwidth = 16\nlayers = 1\nheads = 2\ninit_std = 0.2\n[model.scheme]\nname = 'learned'\n"
        "[data]\ntrain = 'x.txt'\nvalidation_split = 0.2\ncontext = 16\nbatch_size = 8\n"
        "[train]\nsteps = 60\nlearning_rate = 0.02\neval_every = 20\nsave_every = 20\n");
  }
  std::string out() const { return (folder / "out").string(); }
  std::string command(const std::string& more = "") const {
    return "train " + (folder / "run.toml").string() + " --out " + out() + " " + more;
  }
  std::string quoted(const std::string& name) const { return "'" + (folder / name).string() + "'"; }
  std::string expect_fine(const std::string& arguments) const {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
  const TemporaryFolder folder{in_memory()};
};

}  // namespace locus
