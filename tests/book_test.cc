// Tests the documentation: the commands in README.md, CONTRIBUTING.md and docs/ run, and print what is shown.
//   ```sh        runs, block after block, in a folder per document that has ./run, configs/ and tests/
//   ```sh slow   needs minutes, the network or root: it is not run, but its commands and options must exist
//   ```text      after a block of commands: lines of their output, in this order; "..." matches any lines
//   ```cpp       must be lines of a compiled file in examples/, tests/consumer or src/
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "locus/base/error.h"
#include "locus/scheme/scheme.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(LOCUS_GOLDEN) / "../..";

struct Block {
  std::string kind;  // the text after the opening ```
  std::vector<std::string> lines;
  int line = 0;  // in the document
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const char* document) {
  std::string text;
  for (const std::string& line : lines_of(kRoot / document)) text += line + "\n";
  return text;
}

std::vector<Block> blocks_of(const fs::path& document) {
  std::vector<Block> blocks;
  bool open = false;
  int number = 0;
  for (const std::string& line : lines_of(document)) {
    ++number;
    if (line.starts_with("```")) {
      open = !open;
      if (open) blocks.push_back({.kind = line.substr(3), .lines = {}, .line = number});
    } else if (open) {
      blocks.back().lines.push_back(line);
    } else {
      EXPECT_FALSE(line.starts_with("    ./run"))
          << document << ":" << number << ": command outside of a ```sh block";
    }
  }
  EXPECT_FALSE(open) << document;
  return blocks;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find(" #")));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Checks that a command and its options exist, without running it.
void check_exists(const std::string& line, const std::string& usage) {
  const std::vector<std::string> words = words_of(line);
  if (words.size() < 2 || (words[0] != "./run" && words[0] != "locus")) return;
  if (usage.find("./run " + words[1]) != std::string::npos && words[1] != "compare" && words[1] != "doctor")
    return;
  const Outcome help = run_program(words[1] + " --help");
  EXPECT_EQ(help.exit_code, 0) << line << ": " << help.err;
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    EXPECT_NE(help.out.find(word.substr(0, word.find('='))), std::string::npos) << line << ": no " << word;
  }
}

// Checks that every line of the block was printed, in this order.
void expect_shown(const Block& block, const std::string& output) {
  std::istringstream printed(output);
  for (const std::string& line : block.lines) {
    if (trimmed(line) == "...") continue;
    bool found = false;
    for (std::string candidate; !found && std::getline(printed, candidate);) {
      found = trimmed(candidate) == trimmed(line);
    }
    ASSERT_TRUE(found) << "the block at line " << block.line << " shows '" << line << "', the output is:\n"
                       << output;
  }
}

class DocumentFolder {
 public:
  DocumentFolder() {
    std::ofstream(folder_ / "run") << "#!/bin/sh\nexec " << LOCUS_PROGRAM << " \"$@\"\n";
    fs::permissions(folder_ / "run", fs::perms::owner_all);
    for (const char* name : {"configs", "tests"}) {
      fs::create_directory_symlink(fs::canonical(kRoot / name), folder_ / name);
    }
  }

  // Runs the block as a script that stops at the first failure. Returns its output.
  std::string run(const Block& block) {
    std::ofstream script(folder_ / ".block");
    for (const std::string& line : block.lines) script << line << "\n";
    script.close();
    const std::string command = "cd '" + folder_.path().string() +
                                "' && COLUMNS=100 ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 " +
                                "bash -eu -o pipefail .block >.out 2>.err </dev/null";
    const int status = std::system(command.c_str());
    const auto text = [&](const char* name) {
      std::ostringstream all;
      all << std::ifstream(folder_ / name).rdbuf();
      return all.str();
    };
    EXPECT_EQ(status, 0) << "the block at line " << block.line << ": " << text(".err");
    return text(".out");
  }

 private:
  TemporaryFolder folder_{in_memory()};
};

class BookSlow : public testing::TestWithParam<std::string> {};

TEST_P(BookSlow, CommandsRunAndPrintTheOutputShown) {
  const std::string usage = text_of("run");
  DocumentFolder folder;
  std::string output, last;
  for (const Block& block : blocks_of(kRoot / GetParam())) {
    if (block.kind == "sh") {
      output = folder.run(block);
    } else if (block.kind == "sh slow") {
      for (const std::string& line : block.lines) check_exists(line, usage);
    } else if (block.kind == "text" && last == "sh") {
      expect_shown(block, output);
    }
    last = block.kind;
  }
}

bool contains_lines(const std::vector<std::string>& file, const std::vector<std::string>& part) {
  for (size_t at = 0; at + part.size() <= file.size(); ++at) {
    size_t same = 0;
    while (same < part.size() && trimmed(file[at + same]) == trimmed(part[same])) ++same;
    if (same == part.size()) return true;
  }
  return false;
}

TEST_P(BookSlow, ProgramsAreLinesOfCompiledFiles) {
  for (const Block& block : blocks_of(kRoot / GetParam())) {
    if (block.kind != "cpp") continue;
    bool found = false;
    for (const char* place : {"examples", "tests/consumer", "src/locus"}) {
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / place)) {
        if (entry.is_regular_file()) found = found || contains_lines(lines_of(entry.path()), block.lines);
      }
    }
    EXPECT_TRUE(found) << GetParam() << ":" << block.line << ": not found in a compiled file";
  }
}

TEST_P(BookSlow, BlocksHaveAKnownKind) {
  const std::vector<std::string> known = {"sh", "sh slow", "text", "cpp", "python", "cmake", "toml", "json"};
  for (const Block& block : blocks_of(kRoot / GetParam())) {
    EXPECT_NE(std::find(known.begin(), known.end(), block.kind), known.end())
        << GetParam() << ":" << block.line << ": ```" << block.kind;
  }
}

TEST(BookLists, ThePageOfTheCommandLineListsEveryCommand) {
  const std::string page = text_of("docs/command-line.md"), help = run_program("--help").out;
  std::istringstream lines(help.substr(help.find("Commands:")));
  int commands = 0;
  std::string line;
  std::getline(lines, line);
  for (; std::getline(lines, line) && line.starts_with("  "); ++commands) {
    const std::string name = words_of(line).front();
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
  EXPECT_EQ(commands, 24);
}

TEST(BookLists, EverySchemeHasASectionAPictureAndARow) {
  const std::string guide = text_of("docs/position.md"), readme = text_of("README.md");
  for (const SchemeInfo* info : schemes()) {
    const std::string name(info->name);
    EXPECT_NE(readme.find("\n| `" + name + "` |"), std::string::npos) << name;
    EXPECT_TRUE(fs::exists(kRoot / "docs/pictures" / (name + ".svg"))) << name;
    if (name == "none") continue;  // the control has no section
    EXPECT_NE(guide.find("\n### " + name + "\n"), std::string::npos) << name;
    EXPECT_NE(guide.find("(pictures/" + name + ".svg)"), std::string::npos) << name;
  }
}

TEST(BookLists, TheGuideToCPlusPlusHasEveryErrorCode) {
  const std::string guide = text_of("docs/cpp.md");
  int codes = 0;
  for (; codes == 0 || locus::name_of(static_cast<Code>(codes)) != "none"; ++codes) {
    const std::string name(locus::name_of(static_cast<Code>(codes)));
    EXPECT_NE(guide.find("\n| `" + name + "` |"), std::string::npos) << name;
  }
  EXPECT_GT(codes, 1);
}

std::vector<std::string> documents() {
  std::vector<std::string> names = {"README.md", "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string name_of(const testing::TestParamInfo<std::string>& document) {
  std::string name = fs::path(document.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, BookSlow, testing::ValuesIn(documents()), name_of);

}  // namespace
}  // namespace locus
