// The program as a user meets it: what it prints where, and its exit codes.
#include "tests/program.h"

#include <gtest/gtest.h>

#include "locus/base/file.h"
#include "locus/base/version.h"
#include "locus/kernel/cpu/targets.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

void expect_usage_error(const std::string& arguments, const std::string& message) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_EQ(outcome.err, "locus: " + message + "\n");
}

TEST(Program, SaysItsVersion) {
  const Outcome outcome = run_program("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "locus " + std::string(version()) + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, HelpsWithExamples) {
  for (const std::string arguments :
       {"--help", "doctor --help", "schemes --help", "show --help", "tokenize --help", "windows --help"}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "Usage: ")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Examples:")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

// A path stands in an error as it is; what a terminal would obey is written out all the same.
TEST(Program, PrintsNoControlCharactersInErrors) {
  const Outcome outcome = run_program("inspect \"$(printf 'x\\033[31m\\302\\233y')\"");
  EXPECT_EQ(outcome.err, "locus: 'x\\x1b[31m\\xc2\\x9by' is no folder; expected a folder of the hub\n");
}

TEST(Program, SuggestsTheNearestWord) {
  expect_usage_error("doctr",
                     "unknown command 'doctr'; did you mean 'doctor'? (locus --help lists the commands)");
  expect_usage_error("banana", "unknown command 'banana' (locus --help lists the commands)");
  expect_usage_error("''", "unknown command '' (locus --help lists the commands)");
  expect_usage_error("\"$(printf 'x\\033[31m')\"",
                     "unknown command 'x\\x1b[31m' (locus --help lists the commands)");
  expect_usage_error("completion \"$(printf 'x\\033')\"",
                     "SHELL: is 'x\\x1b', expected bash, zsh, fish (locus completion --help tells more)");
  expect_usage_error("--versoin",
                     "unexpected '--versoin'; did you mean '--version'? (locus --help lists the options)");
  expect_usage_error("doctor --jsn",
                     "unexpected '--jsn'; did you mean '--json'? (locus doctor --help lists the options)");
  expect_usage_error("train x.toml --ot y",
                     "unexpected '--ot'; did you mean '--out'? (locus train --help lists the options)");
  expect_usage_error("train x.toml", "--out is required (locus train --help tells more)");
  expect_usage_error("--json doctor", "'--json' stands before the command; expected locus doctor --json");
  expect_usage_error("completion bsh",
                     "SHELL: is 'bsh', expected bash, zsh, fish; did you mean 'bash'? "
                     "(locus completion --help tells more)");
  expect_usage_error("doctor twice", "unexpected 'twice' (locus doctor --help lists the options)");
}

TEST(Program, NeedsACommand) {
  expect_usage_error("", "a command is missing (locus --help lists the commands)");
}

TEST(Program, AFullDiskIsAnIoError) {
  for (const std::string arguments :
       {"--version", "--help", "doctor", "schemes", "show none --json", "tokenize a"}) {
    const Outcome outcome = run_program(arguments + " >/dev/full");
    EXPECT_EQ(outcome.exit_code, 4) << arguments;
    EXPECT_EQ(outcome.err, "locus: cannot write the output: No space left on device\n");
  }
}

TEST(Program, WhatNobodyCanReadIsNoReasonToStop) {
  for (const std::string nowhere : {" 2>/dev/full", " 2>&-"}) {
    EXPECT_EQ(run_program("doctr" + nowhere).exit_code, 2) << nowhere;
    EXPECT_EQ(run_program("schemes" + nowhere).exit_code, 0) << nowhere;
  }
  EXPECT_EQ(run_program("doctor >&-").exit_code, 4);
}

TEST(Program, NumbersAreTakenAsTheyStand) {
  const std::string most =
      "expected a whole number from 0 to 18446744073709551615 (locus windows --help tells more)";
  expect_usage_error("windows x --seed -1", "--seed: is '-1', " + most);
  expect_usage_error("windows x --seed 18446744073709551616", "--seed: is '18446744073709551616', " + most);
  expect_usage_error("windows x --context 8x",
                     "--context: is '8x', expected a whole number from -9223372036854775808 to "
                     "9223372036854775807 (locus windows --help tells more)");
  const TemporaryFolder folder;
  write_file(folder / "x", "0123456789a");
  const Outcome octal = run_program("windows " + (folder / "x").string() + " --context 010 --batch 1");
  EXPECT_TRUE(contains(octal.out, "inputs [1, 10]")) << octal.out << octal.err;
  expect_usage_error("generate x --length-penalty nan",
                     "--length-penalty: is 'nan', expected a number (locus generate --help tells more)");
}

TEST(Program, AnEmptyValueIsNotTheSameAsNone) {
  expect_usage_error("tokenize --tokenizer '' x", "--tokenizer: is empty (locus tokenize --help tells more)");
}

TEST(Doctor, TellsWhatIsUsed) {
  const Outcome outcome = run_program("doctor");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string part : {"CPU ", "SIMD ", "threads ", "memory ", "compiler ", "Highway ", "fmt "}) {
    EXPECT_TRUE(contains(outcome.out, "\n" + part)) << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.out, kernel::cpu::supported_targets().front() + " in use"));
}

TEST(Doctor, SpeaksJson) {
  const Outcome outcome = run_program("doctor --json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.front(), '{');
  for (const std::string key :
       {"version", "cpu", "simd", "chosen", "built", "threads", "memory", "compiler"}) {
    EXPECT_TRUE(contains(outcome.out, "\"" + key + "\": ")) << outcome.out;
  }
}

TEST(Targets, TheOneInUseWasBuilt) {
  const auto built = kernel::cpu::built_targets(), supported = kernel::cpu::supported_targets();
  ASSERT_FALSE(supported.empty());
  for (const std::string& target : supported) EXPECT_EQ(std::count(built.begin(), built.end(), target), 1);
}

}  // namespace
}  // namespace locus
