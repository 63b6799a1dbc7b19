// The program as a user sees it: its output streams and its exit codes.
#include "tests/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "locus/base/file.h"
#include "locus/base/version.h"
#include "locus/kernel/cpu/targets.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

TEST(Program, PrintsItsVersion) {
  const Outcome outcome = run_program("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "locus " + std::string(version()) + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, HelpHasExamples) {
  for (const std::string arguments :
       {"--help", "doctor --help", "schemes --help", "show --help", "tokenize --help", "windows --help"}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "Usage: ")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Examples:")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

// A path appears in an error unchanged, except for the characters that would control the terminal.
TEST(Program, PrintsNoControlCharactersInErrors) {
  const std::string arguments = "inspect \"$(printf 'x\\033[31m\\302\\233y')\"";
  expect_program_fault(4, arguments, {"'x\\x1b[31m\\xc2\\x9by'"});
  const std::string err = run_program(arguments).err;
  EXPECT_EQ(err.find_first_of("\033\302\233"), std::string::npos) << err;
}

TEST(Program, SuggestsTheNearestWord) {
  expect_program_fault(2, "doctr", {"'doctr'", "'doctor'", "locus --help"});
  expect_program_fault(2, "--versoin", {"'--versoin'", "'--version'", "locus --help"});
  expect_program_fault(2, "doctor --jsn", {"'--jsn'", "'--json'", "locus doctor --help"});
  expect_program_fault(2, "train x.toml --ot y", {"'--ot'", "'--out'", "locus train --help"});
  expect_program_fault(2, "completion bsh",
                       {"SHELL", "'bsh'", "bash", "zsh", "fish", "'bash'", "locus completion --help"});
}

// The unknown word is the only one in quotation marks: there is no suggestion.
TEST(Program, SuggestsNothingForAWordThatIsNotSimilarToAny) {
  const auto expect = [](const std::string& arguments, std::initializer_list<std::string_view> values) {
    expect_program_fault(2, arguments, values);
    EXPECT_EQ(std::ranges::count(run_program(arguments).err, '\''), 2) << arguments;
  };
  expect("banana", {"'banana'", "locus --help"});
  expect("''", {"''", "locus --help"});
  expect("\"$(printf 'x\\033[31m')\"", {"'x\\x1b[31m'", "locus --help"});
  expect("completion \"$(printf 'x\\033')\"",
         {"SHELL", "'x\\x1b'", "bash", "zsh", "fish", "locus completion --help"});
  expect("doctor twice", {"'twice'", "locus doctor --help"});
}

TEST(Program, AnOptionMustFollowTheCommand) {
  expect_program_fault(2, "--json doctor", {"'--json'", "locus doctor --json"});
}

TEST(Program, NamesARequiredOption) {
  expect_program_fault(2, "train x.toml", {"--out", "locus train --help"});
}

TEST(Program, NeedsACommand) { expect_program_fault(2, "", {"locus --help"}); }

TEST(Program, AFullDiskIsAnIoError) {
  for (const std::string arguments :
       {"--version", "--help", "doctor", "schemes", "show none --json", "tokenize a"}) {
    expect_program_fault(4, arguments + " >/dev/full", {"stdout", std::strerror(ENOSPC)});
  }
}

TEST(Program, IgnoresAClosedOrFullStderr) {
  for (const std::string nowhere : {" 2>/dev/full", " 2>&-"}) {
    EXPECT_EQ(run_program("doctr" + nowhere).exit_code, 2) << nowhere;
    EXPECT_EQ(run_program("schemes" + nowhere).exit_code, 0) << nowhere;
  }
  EXPECT_EQ(run_program("doctor >&-").exit_code, 4);
}

TEST(Program, ParsesNumbersAsDecimalAndChecksTheirRange) {
  expect_program_fault(2, "windows x --seed -1",
                       {"--seed", "'-1'", "0", "18446744073709551615", "locus windows --help"});
  expect_program_fault(
      2, "windows x --seed 18446744073709551616",
      {"--seed", "'18446744073709551616'", "0", "18446744073709551615", "locus windows --help"});
  expect_program_fault(2, "windows x --context 9223372036854775808",
                       {"--context", "-9223372036854775808", "9223372036854775807", "locus windows --help"});
  expect_program_fault(2, "windows x --context 8x", {"--context", "'8x'", "locus windows --help"});
  const TemporaryFolder folder;
  write_file(folder / "x", "0123456789a");
  const Outcome not_octal = run_program("windows " + (folder / "x").string() + " --context 010 --batch 1");
  EXPECT_TRUE(contains(not_octal.out, "inputs [1, 10]")) << not_octal.out << not_octal.err;
  expect_program_fault(2, "generate x --length-penalty nan",
                       {"--length-penalty", "'nan'", "locus generate --help"});
}

TEST(Program, AnEmptyValueIsAnError) {
  expect_program_fault(2, "tokenize --tokenizer '' x", {"--tokenizer", "empty", "locus tokenize --help"});
}

TEST(Doctor, ReportsTheMachineAndTheLibraries) {
  const Outcome outcome = run_program("doctor");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string part :
       {"CPU ", "SIMD ", "threads ", "memory ", "GPU ", "compiler ", "Highway ", "fmt "}) {
    EXPECT_TRUE(contains(outcome.out, "\n" + part)) << outcome.out;
  }
  EXPECT_TRUE(contains(outcome.out, "\nSIMD      " + kernel::cpu::supported_targets().front()));
}

TEST(Doctor, PrintsJson) {
  const Outcome outcome = run_program("doctor --json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.front(), '{');
  for (const std::string key :
       {"version", "cpu", "simd", "chosen", "built", "threads", "memory", "gpu", "kernels", "compiler"}) {
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
