// Broken JSON Lines input of the commands for texts: the error names the line, and nothing is printed.
#include <gtest/gtest.h>

#include "tests/cli/text_commands.h"

namespace locus {
namespace {

// A command, and a good line of its input.
struct JsonCommand {
  std::string command, line, member;
};

std::vector<JsonCommand> json_commands() {
  return {{"classify " + model("classify"), R"({"text": "a"})", "'text'"},
          {"answer " + model("answer"), R"({"question": "who", "context": "a"})", "'question'"},
          {"generate " + model("write") + " --max-tokens 1", R"({"prompt": "a"})", "'prompt'"},
          {"tokenize --tokenizer bytes --json", R"({"text": "a"})", "'text'"}};
}

class JsonLines : public TextCommands {
 protected:
  // For every command: a good line and then `bad` is an error that names the line.
  void expect_refused(const std::string& bad, std::initializer_list<std::string_view> values) const {
    for (const JsonCommand& each : json_commands()) {
      SCOPED_TRACE(each.command);
      const std::string jsonl = file("x.jsonl", each.line + "\n" + bad + "\n" + each.line + "\n");
      expect_program_fault(3, each.command + " --file " + jsonl, {"line 2", "'" + jsonl + "'"});
      expect_program_fault(3, each.command + " --file " + jsonl, values);
    }
  }
};

TEST_F(JsonLines, ALineThatIsCutShort) { expect_refused("{\"text\": \"a", {"JSON"}); }

TEST_F(JsonLines, TwoObjectsInALine) { expect_refused("{\"text\": \"a\"} {}", {"JSON"}); }

TEST_F(JsonLines, AnEmptyLine) { expect_refused("", {"JSON"}); }

TEST_F(JsonLines, AMissingMember) {
  for (const JsonCommand& each : json_commands()) {
    const std::string jsonl = file("x.jsonl", each.line + "\n{\"other\": \"a\"}\n");
    expect_program_fault(3, each.command + " --file " + jsonl, {"line 2", each.member, "missing"});
  }
}

TEST_F(JsonLines, BytesThatAreNotUtf8) { expect_refused("{\"text\": \"\xff\"}", {"UTF-8"}); }

TEST_F(JsonLines, HalfOfASurrogatePair) { expect_refused("{\"text\": \"\\ud800\"}", {"JSON"}); }

TEST_F(JsonLines, ANulByte) { expect_refused(std::string("{\"text\": \"\0\"}", 13), {"JSON"}); }

TEST_F(JsonLines, NestingWithoutEnd) {
  expect_refused(std::string(1 << 20, '[') + std::string(1 << 20, ']'), {"1024"});
}

TEST_F(JsonLines, SkipBadSkipsEveryOfThem) {
  const std::string good = "{\"text\": \"a\"}\n";
  std::string lines = good;
  for (const std::string bad : {"", "{", "[]", "{}", "{\"text\": null}", "{\"text\": \"\xff\"}", "null"})
    lines += bad + "\n" + good;
  const Outcome outcome =
      run_program("tokenize --tokenizer bytes --json --skip-bad --file " + file("x.jsonl", lines));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 8u);
  EXPECT_EQ(lines_in(outcome.err), 7u) << outcome.err;
}

TEST_F(JsonLines, ErrorsShowControlCharactersEscaped) {
  const Outcome outcome = run_program("tokenize --tokenizer bytes --json --file " +
                                      file("x.jsonl", "{\"text\": [\"\\u001b[31m\"]}\n"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
  expect_values(outcome.err, {"line 1", "'text'"});
}

}  // namespace
}  // namespace locus
