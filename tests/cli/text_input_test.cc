// Rules that all commands for texts share: where the input comes from, its format, its order, and bad lines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/text_commands.h"

namespace locus {
namespace {

TEST_F(TextCommands, ArgumentsFilesAndStdinGiveTheSame) {
  const std::string texts = file("x.txt", "the dog\nthe ball\r\nit ran");
  const std::string classify = "classify " + model("classify");
  const std::string words = expect_fine(classify + " 'the dog' 'the ball' 'it ran'");
  EXPECT_EQ(lines_in(words), 3u);
  EXPECT_EQ(expect_fine(classify + " --file " + texts), words);
  EXPECT_EQ(expect_fine(classify + " < " + texts), words);
  EXPECT_EQ(expect_fine(classify + " --file - < " + texts), words);
  EXPECT_EQ(expect_fine(classify + " --threads 3 --batch-tokens 1 < " + texts), words);
  EXPECT_EQ(expect_fine(classify + " --file " + file("none.txt", "")), "");
}

TEST_F(TextCommands, ATextInBracketsIsNotAList) {
  const std::string classify = "classify " + model("classify");
  const std::string out = expect_fine(classify + " '[a, b]' '[MASK]' x");
  EXPECT_EQ(out, expect_fine(classify + " < " + file("x", "[a, b]\n[MASK]\nx\n")));
  EXPECT_EQ(lines_in(out), 3u);
  EXPECT_EQ(expect_fine("similarity " + model("embed") + " --query '[a, b]' '[a, b]'"),
            "1.000000\t1\t[a, b]\n");
}

TEST_F(TextCommands, JsonLines) {
  const std::string classify = "classify " + model("classify") + " --json";
  const std::string words = expect_fine(classify + " 'the dog' 'it ran'");
  EXPECT_EQ(words.find("{\"text\": \"the dog\", \"label\": \""), 0u) << words;
  EXPECT_NE(words.find("\"scores\": {\"bad\": "), std::string::npos) << words;
  const std::string objects = "{\"text\": \"the dog\"}\n{\"n\": 1, \"text\": \"it ran\"}\n";
  const std::string jsonl = classify + " --input-format jsonl";
  EXPECT_EQ(expect_fine(jsonl + " < " + file("x", objects)), words);
  EXPECT_EQ(expect_fine(jsonl + " --file " + file("x.txt", objects)), words);
  EXPECT_EQ(expect_fine(classify + " --file " + file("x.jsonl", objects)), words);
  EXPECT_EQ(expect_fine(jsonl + " < " + file("x", "\xef\xbb\xbf" + objects)), words);
  const std::string pair = "{\"text\": \"who is it?\", \"text_pair\": \"Ada ran in London.\"}\n";
  const std::string of_pair = expect_fine(jsonl + " < " + file("pair", pair));
  EXPECT_EQ(of_pair.find("{\"text\": \"who is it?\", \"text_pair\": \"Ada ran in London.\", \"label\": "),
            0u);
  EXPECT_EQ(expect_fine(classify + " --file " + file("pair.jsonl", pair)), of_pair);
  EXPECT_EQ(expect_fine(classify + " --pairs 'who is it?' 'Ada ran in London.'"), of_pair);
  EXPECT_EQ(expect_fine(classify + " --pairs --file " + file("pair.tsv", "who is it?\tAda ran in London.\n")),
            of_pair);
}

// A command, the arguments that are one text for it, the same as a line of text, and as a JSON object.
struct TextForms {
  std::string command, words, line, object;
};

std::vector<TextForms> text_forms() {
  const std::string text = R"({"text": "the dog"})";
  return {
      {"embed " + model("embed"), "'the dog'", "the dog", text},
      {"similarity " + model("embed"), "'the dog' 'it ran'", "the dog\tit ran",
       R"({"text": "the dog", "text_pair": "it ran"})"},
      {"similarity " + model("embed") + " --query dog", "'the dog'", "the dog", text},
      {"classify " + model("classify"), "'the dog'", "the dog", text},
      {"tag " + model("tag"), "'the dog'", "the dog", text},
      {"fill " + model("fill"), "'the [MASK]'", "the [MASK]", R"({"text": "the [MASK]"})"},
      {"answer " + model("answer"), "'who ran' 'the dog ran'", "who ran\tthe dog ran",
       R"({"question": "who ran", "context": "the dog ran"})"},
      {"generate " + model("write") + " --max-tokens 3", "'the dog'", "the dog", R"({"prompt": "the dog"})"},
      {"translate " + model("translate") + " --max-tokens 3", "'the dog'", "the dog", text},
      {"tokenize " + model("embed"), "'the dog'", "the dog", text}};
}

// The input format follows from the file name or from --input-format, for every command in the same way.
TEST_F(TextCommands, TheInputFormatIsThatOfTheNameOrOfTheOption) {
  for (const auto& [command, words, line, object] : text_forms()) {
    SCOPED_TRACE(command);
    const std::string json = command + " --json ", expected = expect_fine(json + words);
    const std::string text = file("x.txt", line + "\n"), jsonl = file("x.jsonl", object + "\n");
    EXPECT_EQ(expect_fine(json + "--file " + text), expected);
    EXPECT_EQ(expect_fine(json + "--file " + jsonl), expected);
    EXPECT_EQ(expect_fine(json + "--input-format jsonl < " + jsonl), expected);
    EXPECT_EQ(expect_fine(json + "--input-format jsonl --file " + file("y.txt", object + "\n")), expected);
    EXPECT_EQ(expect_fine(json + "--input-format text --file " + file("y.jsonl", line + "\n")), expected);
  }
}

// --json chooses only the output: without it the input has the same format.
TEST_F(TextCommands, JsonLinesAreReadWithoutJsonOutput) {
  for (const auto& [command, words, line, object] : text_forms()) {
    if (command.starts_with("tokenize ")) continue;  // a text file is one text: see tokenize_test.cc
    SCOPED_TRACE(command);
    const std::string jsonl = file("x.jsonl", object + "\n");
    const std::string expected = expect_fine(command + " --file " + file("x.txt", line + "\n"));
    EXPECT_EQ(expect_fine(command + " --file " + jsonl), expected);
    EXPECT_EQ(expect_fine(command + " --input-format jsonl < " + jsonl), expected);
  }
}

TEST_F(TextCommands, ALineThatBeginsWithABraceIsAText) {
  for (const auto& [command, words, line, object] : text_forms()) {
    SCOPED_TRACE(command);
    const bool pairs = line.find('\t') != std::string::npos;
    for (const std::string& text : {"{" + line, pairs ? "{" + line + "}" : object}) {
      std::string quoted = "'" + text + "'";
      if (pairs) quoted.replace(quoted.find('\t'), 1, "' '");
      const std::string expected = expect_fine(command + " --json " + quoted);
      EXPECT_EQ(expect_fine(command + " --json < " + file("x", text + "\n")), expected);
      EXPECT_EQ(expect_fine(command + " --json --file " + file("x.txt", text + "\n")), expected);
      EXPECT_EQ(expect_fine(command + " --json --input-format text --file " + file("x.jsonl", text + "\n")),
                expected);
    }
  }
  EXPECT_EQ(expect_fine("classify " + model("classify") + " --json < " + file("x", "{\"text\": \"a\"}\n"))
                .find("{\"text\": \"{\\\"text\\\": \\\"a\\\"}\", \"label\": "),
            0u);
}

TEST_F(TextCommands, EveryFileHasItsOwnFormat) {
  const std::string classify = "classify " + model("classify"), objects = "{\"text\": \"the dog\"}\n";
  const std::string text = file("x.txt", objects), jsonl = file("x.jsonl", objects);
  const std::string as_text = expect_fine(classify + " --file " + text),
                    as_object = expect_fine(classify + " --file " + jsonl);
  EXPECT_NE(as_text, as_object);
  EXPECT_EQ(expect_fine(classify + " --file " + text + " --file " + jsonl), as_text + as_object);
  EXPECT_EQ(expect_fine(classify + " --file " + jsonl + " --file " + text), as_object + as_text);
}

TEST_F(TextCommands, TextsAsArgumentsAreNotJsonLines) {
  for (const auto& [command, words, line, object] : text_forms()) {
    const std::string name = command.substr(0, command.find(' '));
    expect_program_fault(2, command + " --input-format jsonl " + words, {name, "--input-format jsonl"});
  }
  expect_program_fault(2, "classify " + model("classify") + " --input-format json x",
                       {"--input-format", "'json'", "text", "jsonl", "'jsonl'", "locus classify --help"});
}

TEST_F(TextCommands, BrokenLinesAreNamed) {
  const std::string classify = "classify " + model("classify") + " --file ";
  const std::string endless(100, '.');
  const std::string bytes = file("bytes", "the dog\nx\xff\n"), dots = file("dots", "a\n" + endless + "\n");
  expect_program_fault(3, classify + bytes, {"line 2", "'" + bytes + "'", "UTF-8"});
  expect_program_fault(3, classify + dots, {"line 2", "'" + dots + "'", "102", "40", "--truncate"});
  EXPECT_EQ(lines_in(expect_fine(classify + dots + " --truncate")), 2u);
  const std::string open = file("open.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"\n"),
                    plain = file("plain.jsonl", "{\"text\": \"a\"}\nthe dog\n"),
                    list = file("list.jsonl", "[1, 2]\n"), other = file("other.jsonl", "{\"txt\": \"a\"}\n"),
                    number = file("number.jsonl", "{\"text\": 3}\n");
  expect_program_fault(3, classify + open, {"line 2", "'" + open + "'", "JSON"});
  expect_program_fault(3, classify + plain, {"line 2", "'" + plain + "'", "JSON"});
  expect_program_fault(3, classify + list, {"line 1", "'" + list + "'", "'[1,2]'"});
  expect_program_fault(3, classify + other, {"line 1", "'" + other + "'", "'text'"});
  expect_program_fault(3, classify + number, {"line 1", "'" + number + "'", "'text'", "'3'"});
  const std::string tabs = file("tabs", "a\tb\na\tb\tc\n");
  expect_program_fault(3, classify + tabs + " --pairs", {"line 2", "'" + tabs + "'", "2", "tab"});
  expect_program_fault(3, "classify " + model("classify") + " a " + endless, {"text 2", "102", "40"});
  expect_program_fault(3, "classify " + model("classify") + " --input-format jsonl < " + file("x", "a\n"),
                       {"line 1", "stdin", "JSON"});
  expect_program_fault(4, classify + "/nowhere", {"'/nowhere'"});
}

TEST_F(TextCommands, SkipBadReportsBadLinesAndSkipsThem) {
  const std::string classify = "classify " + model("classify");
  const std::string lines = "the dog\nx\xff\n" + std::string(100, '.') + "\nit ran\n";
  const std::string expected = expect_fine(classify + " 'the dog' 'it ran'");
  EXPECT_EQ(expect_notes(classify + " --skip-bad < " + file("x", lines),
                         {{"line 2", "stdin", "UTF-8"}, {"line 3", "stdin", "102", "40"}}),
            expected);
  const std::string objects = file("x.jsonl", "{\"text\": \"the dog\"}\nx\n[1]\n{\"text\": \"it ran\"}\n");
  EXPECT_EQ(expect_notes(classify + " --skip-bad --file " + objects,
                         {{"line 2", "'" + objects + "'", "JSON"}, {"line 3", "'" + objects + "'", "'[1]'"}}),
            expected);
}

TEST_F(TextCommands, ManyLinesKeepTheirOrderOverChunks) {
  std::string lines, words;
  for (int i = 0; i < 5000; ++i) {
    const std::string word(1 + i * 7919 % 9, static_cast<char>('a' + i % 26));
    lines += word + "\n";
  }
  const std::string out = expect_fine("classify " + model("classify") + " < " + file("x", lines));
  size_t begin = 0;
  for (size_t end = 0; (end = out.find('\n', begin)) != std::string::npos; begin = end + 1) {
    words += out.substr(out.rfind('\t', end) + 1, end - out.rfind('\t', end));
  }
  EXPECT_EQ(words, lines);
}

TEST_F(TextCommands, ABrokenPipeEndsQuietly) {
  std::string lines;
  for (int i = 0; i < 9000; ++i) lines += "the dog chased the ball\n";
  const std::string input = file("x", lines);
  for (const char* signal : {"", "trap '' PIPE; "}) {
    const std::string command =
        fmt::format("sh -c \"{}{} classify {} < {} | head -n 1\" 2> {} | wc -l > {}", signal, LOCUS_PROGRAM,
                    model("classify"), input, (folder / "err").string(), (folder / "out").string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(folder / "err"), "");
    EXPECT_EQ(read_file(folder / "out"), "1\n");
  }
}

TEST_F(TextCommands, AnswersEachLineOfASlowStream) {
  const std::string fifo = (folder / "fifo").string(), out = (folder / "out").string();
  // The second line is written only after the first is answered.
  const std::string script = fmt::format(
      "mkfifo {0}; {1} classify {2} < {0} > {3} & exec 9> {0}; echo 'the dog' >&9; n=0; "
      "while [ ! -s {3} ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; wc -l < {3}; "
      "echo 'it ran' >&9; exec 9>&-; wait; wc -l < {3}",
      fifo, LOCUS_PROGRAM, model("classify"), out);
  put(folder / "script", script);
  ASSERT_EQ(
      std::system(
          fmt::format("bash {} > {}", (folder / "script").string(), (folder / "counts").string()).c_str()),
      0);
  EXPECT_EQ(read_file(folder / "counts"), "1\n2\n");
}

}  // namespace
}  // namespace locus
