// The whole text of typical errors of every command, recorded in tests/golden/errors/COMMAND.txt. Other tests
// check only the values that an error names. Here a change of the wording shows up as a diff to read.
//
// A file is a list of cases, separated by empty lines:
//   $ locus ARGUMENTS   a shell runs it in a folder with the files of prepare_*(); $GOLDEN is tests/golden
//   locus: ...          stderr, in which $GOLDEN and $DIR replace the paths of tests/golden and that folder,
//                       and $ENOENT the system's message for a missing file
//   exit N
// tools/rewrite_errors.sh records the text of every case. To add a case, write its first line and run the
// script. An error that depends on the machine, or on the wording of another library, must not have a case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

const fs::path kErrorTexts = fs::path(LOCUS_GOLDEN) / "errors";
constexpr std::string_view kPrompt = "$ locus";
constexpr const char* kRecord = "run tools/rewrite_errors.sh and read the diff";

struct ErrorCase {
  std::string command;       // with the prompt
  std::string text;          // stderr and the line with the exit code
  bool is_recorded = false;  // whether the text is complete

  std::string arguments() const { return command.substr(kPrompt.size()); }
};

std::vector<ErrorCase> read_cases(const fs::path& file) {
  std::vector<ErrorCase> cases;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kPrompt)) {
      cases.push_back({.command = line, .text = ""});
    } else if (cases.empty() || cases.back().is_recorded) {
      EXPECT_EQ(line, "") << file << ": text outside of a case";
    } else if (!line.empty() || !cases.back().text.empty()) {
      cases.back().text += line + "\n";
      cases.back().is_recorded = line.starts_with("exit ");
    }
  }
  return cases;
}

void write_cases(const fs::path& file, const std::vector<ErrorCase>& cases) {
  std::string all;
  for (const ErrorCase& one : cases) all += (all.empty() ? "" : "\n") + one.command + "\n" + one.text;
  put(file, all);
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// What the shell does before it starts the program: LOCUS_DATA would appear in errors about missing data.
std::string in_folder(const fs::path& folder) { return "unset LOCUS_DATA; cd '" + folder.string() + "' &&"; }

void copy_folder(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

void prepare_texts(const fs::path& folder) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "abcdefgh";
  put(folder / "x.txt", text);
  put(folder / "short.txt", "abc");
  put(folder / "long.txt", "the dog\n" + std::string(100, '.') + "\n");
  put(folder / "latin1.txt", "the dog\ncaf\xe9\n");
  put(folder / "tabs.tsv", "a\tb\na\tb\tc\n");
  put(folder / "long.tsv", "the dog\tgood\n" + std::string(100, '.') + "\tbad\n");
  put(folder / "list.jsonl", "{\"text\": \"a\"}\n[1, 2]\n");
  put(folder / "misspelled.jsonl", "{\"txt\": \"a\"}\n");
  put(folder / "number.jsonl", "{\"text\": 3}\n");
  put(folder / "question.jsonl", "{\"question\": \"who\"}\n");
  put(folder / "cut.tokens", "LOCUSTOK cut");
}

void prepare_inputs(const fs::path& folder) {
  put(folder / "good.json", "{\"input_ids\": [[1, 2, 3]]}");
  put(folder / "ids.json", "{\"input_ids\": [[1, 2, 999]]}");
  put(folder / "ragged.json", "{\"input_ids\": [[1, 2, 3], [4, 5]]}");
  put(folder / "mask.json", "{\"input_ids\": [[1, 2, 3]], \"attention_mask\": [[1, 1]]}");
  put(folder / "misspelled.json", "{\"input_idz\": [[1, 2, 3]]}");
}

void prepare_configurations(const fs::path& folder) {
  put(folder / "run.toml",
      "[model]\nwidth = 16\nlayers = 1\nheads = 2\n[model.scheme]\nname = 'learned'\n"
      "[data]\ntrain = 'x.txt'\ncontext = 16\nbatch_size = 8\n"
      "[train]\nsteps = 2\nlearning_rate = 0.02\n");
  put(folder / "bad.toml", "[model]\nwidth = 16\n[model.scheme]\nname = r\xc3\xb6tary\n");
  put(folder / "names.toml",
      "[model]\ndeviation = 0.2\nwidth = 'wide'\n[data]\ntrain = 'x.txt'\nbatch = 8\n[train]\nlr = 0.02\n");
  put(folder / "study.toml", "steps = 2\nlr = 0.1\n");
}

// Folders that a command opens, or that it must not write to.
void prepare_folders(const fs::path& folder) {
  for (const char* name : {"empty", "taken", "unknown", "damaged", "other-study/cells"}) {
    fs::create_directories(folder / name);
  }
  put(folder / "taken/notes.txt", "notes");
  put(folder / "unknown/config.json", "{\"model_type\": \"mamba\"}");
  copy_folder(fs::path(LOCUS_GOLDEN) / "apply/embed", folder / "damaged");
  put(folder / "damaged/model.safetensors", read_file(folder / "damaged/model.safetensors").substr(0, 100));
  put(folder / "other-study/study.toml", "steps = 7\n");
  const Outcome trained = run_program("train run.toml --out run", in_folder(folder));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
}

class ErrorTexts : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    prepared_ = std::make_unique<TemporaryFolder>(in_memory());
    prepare_texts(prepared_->path());
    prepare_inputs(prepared_->path());
    prepare_configurations(prepared_->path());
    prepare_folders(prepared_->path());
  }
  static void TearDownTestSuite() { prepared_.reset(); }

  // A failed command may leave files behind: every file of cases has its own copy of the folder.
  ErrorTexts() { copy_folder(prepared_->path(), folder_.path()); }

  std::string text_now(const ErrorCase& one) const {
    const std::string golden = fs::canonical(LOCUS_GOLDEN).string(),
                      folder = fs::canonical(folder_.path()).string();
    const Outcome outcome = run_program(replace_all(one.arguments(), "$GOLDEN", golden), in_folder(folder));
    EXPECT_GT(outcome.exit_code, 1) << one.command << ": not an error of the user\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << one.command;
    EXPECT_TRUE(outcome.err.starts_with("locus: ") && outcome.err.ends_with('\n')) << outcome.err;
    std::string text = replace_all(outcome.err, golden, "$GOLDEN");
    text = replace_all(text, folder, "$DIR");
    text = replace_all(text, std::strerror(ENOENT), "$ENOENT");
    return text + "exit " + std::to_string(outcome.exit_code) + "\n";
  }

 private:
  static std::unique_ptr<TemporaryFolder> prepared_;
  const TemporaryFolder folder_{in_memory()};
};

std::unique_ptr<TemporaryFolder> ErrorTexts::prepared_;

TEST_P(ErrorTexts, AreTheRecordedOnes) {
  const fs::path file = kErrorTexts / (GetParam() + ".txt");
  std::vector<ErrorCase> cases = read_cases(file);
  const bool rewrite = std::getenv("LOCUS_REWRITE") != nullptr;
  for (ErrorCase& one : cases) {
    const std::string now = text_now(one);
    if (rewrite) {
      one.text = now;
    } else if (!one.is_recorded) {
      ADD_FAILURE() << file << ": no text is recorded for\n" << one.command << "\n" << kRecord;
    } else {
      EXPECT_EQ(now, one.text) << file << ": another text than recorded for\n"
                               << one.command << "\n"
                               << kRecord;
    }
  }
  if (rewrite) write_cases(file, cases);
}

std::vector<std::string> recorded_commands() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kErrorTexts)) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(, ErrorTexts, testing::ValuesIn(recorded_commands()),
                         [](const testing::TestParamInfo<std::string>& command) { return command.param; });

// The options in a text, without those of commands in it: `locus eval DIR FILE --lengths 512`, run: hf
// download
std::set<std::string> options_in(const std::string& text) {
  static const std::regex kQuoted("`[^`]*`|run: .*"), kOption("--[a-z][a-z-]*");
  const std::string plain = std::regex_replace(text, kQuoted, "");
  return {std::sregex_token_iterator(plain.begin(), plain.end(), kOption), std::sregex_token_iterator()};
}

TEST(ErrorTextsList, HintsNameOptionsOfTheirCommand) {
  for (const std::string& command : recorded_commands()) {
    if (command == "program") continue;
    const std::set<std::string> known = options_in(run_program(command + " --help").out);
    EXPECT_FALSE(known.empty()) << command;
    for (const ErrorCase& one : read_cases(kErrorTexts / (command + ".txt"))) {
      const std::set<std::string> typed = options_in(one.command);
      for (const std::string& option : options_in(one.text)) {
        EXPECT_TRUE(known.contains(option) || typed.contains(option)) << one.command << "\n" << one.text;
      }
    }
  }
}

TEST(ErrorTextsList, EveryCommandHasCases) {
  const std::string help = run_program("--help").out;
  std::istringstream lines(help.substr(help.find("Commands:")));
  std::vector<std::string> commands = {"program"};
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    if (line[2] != ' ') commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  std::ranges::sort(commands);
  EXPECT_EQ(recorded_commands(), commands);
  size_t total = 0;
  for (const std::string& command : recorded_commands()) {
    const std::vector<ErrorCase> cases = read_cases(kErrorTexts / (command + ".txt"));
    EXPECT_GE(cases.size(), 2u) << command;
    total += cases.size();
    for (const ErrorCase& one : cases) {
      if (command == "program") continue;
      EXPECT_TRUE((one.arguments() + " ").starts_with(" " + command + " ")) << one.command;
    }
  }
  EXPECT_GE(total, 60u);
}

}  // namespace
}  // namespace locus
