// Completion scripts and the manual page. Both are generated from the definitions that the parser uses; these
// tests compare them with --help and run them in a shell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

// The completions that bash offers for the last of the words.
std::string completed(const std::string& words) {
  const TemporaryFolder folder;
  const Outcome script = run_program("completion bash");
  EXPECT_EQ(script.exit_code, 0) << script.err;
  std::ofstream(folder / "test.sh") << script.out << "COMP_WORDS=(" << words << ")\n"
                                    << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_locus\n"
                                    << "echo \"${COMPREPLY[*]}\" >\"$1\"\n";
  const std::string out = folder / "out";
  EXPECT_EQ(std::system(("bash -eu '" + (folder / "test.sh").string() + "' '" + out + "'").c_str()), 0);
  std::string line;
  std::ifstream file(out);
  std::getline(file, line);
  return line;
}

TEST(Completion, OffersCommandsOptionsAndSchemes) {
  EXPECT_EQ(completed("locus sh"), "show");
  EXPECT_EQ(completed("locus show --he"), "--help --heads");
  EXPECT_EQ(completed("locus show al"), "alibi");
  EXPECT_EQ(completed("locus explain --scheme ro"), "rotary");
  EXPECT_EQ(completed("locus tokenize --offsets b"), "bytes");
  EXPECT_EQ(completed("locus completion z"), "zsh");
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_EQ(completed("locus show --out al"), "");
  EXPECT_EQ(completed("locus train conf"), "");
}

// The words at the start of the indented lines below "Commands:" or "Options:".
std::vector<std::string> listed(const std::string& help, const std::string& heading) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(help.find(heading)));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find_first_of(" ", 2) - 2));
  }
  return names;
}

TEST(Completion, ScriptsAndTheManualListEverythingInHelp) {
  const std::string zsh = run_program("completion zsh").out, fish = run_program("completion fish").out,
                    manual = run_program("manual").out;
  const auto commands = listed(run_program("--help").out, "Commands:");
  ASSERT_EQ(commands.size(), 24u);
  for (const std::string& command : commands) {
    EXPECT_NE(zsh.find("    " + command + ") _arguments"), std::string::npos) << command;
    EXPECT_NE(fish.find("-f -a " + command + " -d "), std::string::npos) << command;
    const size_t section = manual.find("\n.SS " + command + "\n");
    ASSERT_NE(section, std::string::npos) << command;
    const std::string part = manual.substr(section, manual.find("\n.S", section + 4) - section);
    for (const std::string& names : listed(run_program(command + " --help").out, "Options:")) {
      if (names == "-h,--help") continue;
      const bool has_letter = names[2] == ',';  // "-o,--out"
      const std::string option = names.substr(has_letter ? 3 : 0);
      const std::string letter = has_letter ? fmt::format(" -s {}", names[1]) : "";
      EXPECT_NE(zsh.find(option + "["), std::string::npos) << command << option;
      EXPECT_NE(fish.find("from " + command + "'" + letter + " -l " + option.substr(2)), std::string::npos)
          << command << option;
      std::string dashed;
      for (const char c : names) dashed += c == '-' ? "\\-" : c == ',' ? ", " : std::string(1, c);
      EXPECT_NE(part.find("\n.B " + dashed), std::string::npos) << command << option;
    }
  }
}

TEST(Completion, ManualHasNoTextThatManWouldParseAsARequest) {
  std::istringstream lines(run_program("manual").out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    const std::string request = line.substr(0, line.find(' '));
    const std::vector<std::string> known = {".TH", ".SH", ".SS", ".TP", ".B", ".I", ".PP", ".nf", ".fi"};
    EXPECT_NE(std::find(known.begin(), known.end(), request), known.end()) << line;
  }
}

TEST(Completion, UnknownShellIsRefused) {
  expect_program_fault(2, "completion tcsh", {"SHELL", "'tcsh'", "bash", "zsh", "fish"});
}

}  // namespace
}  // namespace locus
