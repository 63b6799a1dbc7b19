// What the commands that apply a model to texts have in common: input, order, faults.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/text_commands.h"

namespace locus {
namespace {

TEST_F(TextCommands, WordsFilesAndStdinAreTheSame) {
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

TEST_F(TextCommands, ATextInBracketsIsNoList) {
  const std::string classify = "classify " + model("classify");
  const std::string out = expect_fine(classify + " '[a, b]' '[MASK]' x");
  EXPECT_EQ(out, expect_fine(classify + " < " + file("x", "[a, b]\n[MASK]\nx\n")));
  EXPECT_EQ(lines_in(out), 3u);
  EXPECT_EQ(expect_fine("similarity " + model("embed") + " --query '[a, b]' '[a, b]'"),
            "1.000000\t1\t[a, b]\n");
}

TEST_F(TextCommands, LinesMayBeObjects) {
  const std::string classify = "classify " + model("classify") + " --json";
  const std::string words = expect_fine(classify + " 'the dog' 'it ran'");
  EXPECT_EQ(words.find("{\"text\": \"the dog\", \"label\": \""), 0u) << words;
  EXPECT_NE(words.find("\"scores\": {\"bad\": "), std::string::npos) << words;
  const std::string objects = "{\"text\": \"the dog\"}\n{\"n\": 1, \"text\": \"it ran\"}\n";
  EXPECT_EQ(expect_fine(classify + " < " + file("x", objects)), words);
  EXPECT_EQ(expect_fine(classify + " --file " + file("x.jsonl", objects)), words);
  EXPECT_EQ(expect_fine(classify + " < " + file("x", "the dog\n{\"text\": \"it ran\"}\n")), words);
  EXPECT_EQ(expect_fine(classify + " < " + file("x", "\xef\xbb\xbf" + objects)), words);
  const std::string pair = "{\"text\": \"who is it?\", \"text_pair\": \"Ada ran in London.\"}\n";
  const std::string of_pair = expect_fine(classify + " < " + file("pair", pair));
  EXPECT_EQ(of_pair.find("{\"text\": \"who is it?\", \"text_pair\": \"Ada ran in London.\", \"label\": "),
            0u);
  EXPECT_EQ(expect_fine(classify + " --pairs 'who is it?' 'Ada ran in London.'"), of_pair);
  EXPECT_EQ(expect_fine(classify + " --pairs --file " + file("pair.tsv", "who is it?\tAda ran in London.\n")),
            of_pair);
}

TEST_F(TextCommands, BrokenLinesAreNamed) {
  const std::string classify = "classify " + model("classify") + " --file ";
  const std::string endless(100, '.');
  const std::string bytes = file("bytes", "the dog\nx\xff\n"), dots = file("dots", "a\n" + endless + "\n");
  expect_fault(3, classify + bytes, "line 2 of '" + bytes + "': it is not valid UTF-8");
  expect_fault(3, classify + dots, "line 2 of '" + dots + "': it has 102 tokens, expected at most 40");
  EXPECT_EQ(lines_in(expect_fine(classify + dots + " --truncate")), 2u);
  const std::string json = file("x.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"\n");
  expect_fault(3, classify + json, "line 2 of '" + json + "': not valid JSON");
  const std::string other = file("y.jsonl", "{\"txt\": \"a\"}\n"),
                    number = file("z.jsonl", "{\"text\": 3}\n");
  expect_fault(3, classify + other, "line 1 of '" + other + "': 'text' is missing");
  expect_fault(3, classify + number, "'text' is '3', expected a string");
  const std::string tabs = file("tabs", "a\tb\na\tb\tc\n");
  expect_fault(3, classify + tabs + " --pairs", "line 2 of '" + tabs + "': expected two texts with one tab");
  expect_fault(3, "classify " + model("classify") + " a " + endless, "text 2: it has 102 tokens");
  expect_fault(4, classify + "/nowhere", "cannot open '/nowhere'");
}

TEST_F(TextCommands, SkipBadTellsOfThemAndGoesOn) {
  const std::string classify = "classify " + model("classify");
  const std::string lines = "the dog\nx\xff\n" + std::string(100, '.') + "\nit ran\n";
  const std::string told =
      "locus: skipped: line 2 of stdin: it is not valid UTF-8\n"
      "locus: skipped: line 3 of stdin: it has 102 tokens, expected at most 40; --truncate cuts what is "
      "longer\n";
  EXPECT_EQ(expect_fine(classify + " --skip-bad < " + file("x", lines), told),
            expect_fine(classify + " 'the dog' 'it ran'"));
}

TEST_F(TextCommands, ManyLinesComeInOrderAndInChunks) {
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

TEST_F(TextCommands, AnswersALineAtATimeWhereSomeoneWaits) {
  const std::string fifo = (folder / "fifo").string(), out = (folder / "out").string();
  // The second line is written only when the first was answered.
  const std::string script = fmt::format(
      "mkfifo {0}; {1} classify {2} < {0} > {3} & exec 9> {0}; echo 'the dog' >&9; n=0; "
      "while [ ! -s {3} ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; wc -l < {3}; "
      "echo 'it ran' >&9; exec 9>&-; wait; wc -l < {3}",
      fifo, LOCUS_PROGRAM, model("classify"), out);
  put(folder / "script", script);
  ASSERT_EQ(
      std::system(
          fmt::format("bash {} > {}", (folder / "script").string(), (folder / "told").string()).c_str()),
      0);
  EXPECT_EQ(read_file(folder / "told"), "1\n2\n");
}

}  // namespace
}  // namespace locus
