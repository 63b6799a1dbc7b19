// locus tokenize and locus windows as a user sees them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

std::string learned() { return "--tokenizer " + golden_text("learned").string(); }

void expect_out(const std::string& arguments, const std::string& out) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
  EXPECT_EQ(outcome.out, out) << arguments;
  EXPECT_EQ(outcome.err, "");
}

// The command succeeds and prints a summary of this number of lines that names the values.
void expect_summary(const std::string& arguments, int64_t lines,
                    std::initializer_list<std::string_view> values) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), lines) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  expect_values(outcome.out, values);
}

TEST(Tokenize, TextsToIdsAndBack) {
  expect_out("tokenize --tokenizer bytes abc 'd e'", "97 98 99\n100 32 101\n");
  expect_out("tokenize --tokenizer bytes --count abc ''", "3\n0\n");
  expect_out("tokenize --decode 97 98", "ab");
  expect_out("tokenize --decode '[97, 98]'", "ab");
  expect_out("tokenize " + learned() + " 'the ball'", "83 264 319 303\n");
  expect_out("tokenize " + learned() + " --decode 83 264 319 303", "the ball");
}

TEST(Tokenize, Json) {
  expect_out("tokenize --json 'a\"'",
             "{\"text\": \"a\\\"\", \"ids\": [97, 34], \"pieces\": [\"a\", \"\\\"\"], \"offsets\": [[0, 1], "
             "[1, 2]]}\n");
  expect_out("tokenize --json 'ä'",
             "{\"text\": \"ä\", \"ids\": [195, 164], \"pieces\": [\"\xef\xbf\xbd\", \"\xef\xbf\xbd\"], "
             "\"offsets\": [[0, 1], [0, 1]]}\n");
}

TEST(Tokenize, FilesAndStdin) {
  const TemporaryFolder folder;
  put(folder / "x", "ab\ncd\n");
  const std::string file = (folder / "x").string();
  expect_out("tokenize --file " + file, "97 98 10 99 100 10\n");
  expect_out("tokenize --count < " + file, "6\n");
  expect_out(
      "tokenize --json --file " + file,
      "{\"text\": \"ab\", \"ids\": [97, 98], \"pieces\": [\"a\", \"b\"], \"offsets\": [[0, 1], [1, 2]]}\n"
      "{\"text\": \"cd\", \"ids\": [99, 100], \"pieces\": [\"c\", \"d\"], \"offsets\": [[0, 1], [1, 2]]}\n");
}

// A text file is one long text; in JSON Lines every object is a text, whatever the output is.
TEST(Tokenize, JsonLinesAreTokenizedLineByLine) {
  const TemporaryFolder folder;
  const std::string objects = "{\"text\": \"ab\"}\n{\"text\": \"cde\"}\n";
  put(folder / "x.jsonl", objects);
  put(folder / "x.txt", objects);
  const std::string jsonl = (folder / "x.jsonl").string(), text = (folder / "x.txt").string();
  expect_out("tokenize --file " + jsonl, "97 98\n99 100 101\n");
  expect_out("tokenize --count --file " + jsonl, "2\n3\n");
  expect_out("tokenize --input-format jsonl < " + jsonl, "97 98\n99 100 101\n");
  expect_out("tokenize --input-format jsonl --count --file " + text, "2\n3\n");
  expect_out("tokenize --json --file " + jsonl,
             "{\"text\": \"ab\", \"ids\": [97, 98], \"pieces\": [\"a\", \"b\"], "
             "\"offsets\": [[0, 1], [1, 2]]}\n"
             "{\"text\": \"cde\", \"ids\": [99, 100, 101], \"pieces\": [\"c\", \"d\", \"e\"], "
             "\"offsets\": [[0, 1], [1, 2], [2, 3]]}\n");
  const std::string whole = fmt::format("{}\n", objects.size());
  expect_out("tokenize --count --file " + text, whole);
  expect_out("tokenize --count --input-format text --file " + jsonl, whole);
  expect_out("tokenize --count < " + jsonl, whole);
}

TEST(Tokenize, JsonOutputDoesNotMakeTheInputJson) {
  const TemporaryFolder folder;
  put(folder / "x.jsonl", "{\"\n");
  const std::string file = (folder / "x.jsonl").string();
  const std::string brace =
      "{\"text\": \"{\\\"\", \"ids\": [123, 34], \"pieces\": [\"{\", \"\\\"\"], "
      "\"offsets\": [[0, 1], [1, 2]]}\n";
  expect_out("tokenize --json < " + file, brace);
  expect_out("tokenize --json --input-format text --file " + file, brace);
  expect_program_fault(3, "tokenize --json --file " + file, {"line 1", "'" + file + "'", "JSON"});
  expect_program_fault(3, "tokenize --file " + file, {"line 1", "'" + file + "'", "JSON"});
  expect_program_fault(3, "tokenize --count --input-format jsonl < " + file, {"line 1", "stdin", "JSON"});
}

TEST(Tokenize, TheFirstArgumentMayBeTheTokenizer) {
  expect_out("tokenize bytes abc 'd e'", "97 98 99\n100 32 101\n");
  expect_out("tokenize " + golden_text("learned").string() + " 'the ball'", "83 264 319 303\n");
  // One word, a text with spaces, and what cannot be a path are texts.
  expect_out("tokenize bytes", "98 121 116 101 115\n");
  expect_out("tokenize 'd e' abc", "100 32 101\n97 98 99\n");
  expect_out("tokenize and/or", "97 110 100 47 111 114\n");
}

TEST(Tokenize, AMistypedTokenizerIsNotAText) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "gpt2");
  put(folder / "ranks.tiktoken", "");
  const std::string place = folder.path().string();
  expect_program_fault(4, "tokenize nosuchdir hello", {"folder", "'nosuchdir'", "--tokenizer bytes"});
  expect_program_fault(4, "tokenize byte hello", {"'byte'", "'bytes'"});
  expect_program_fault(4, "tokenize " + place + "/gtp2 hello",
                       {"'" + place + "/gtp2'", "'" + place + "/gpt2'"});
  expect_program_fault(4, "tokenize " + place + "/rank.tiktoken < /dev/null",
                       {"'" + place + "/ranks.tiktoken'"});
  expect_out("tokenize --tokenizer bytes nosuchdir hi", "110 111 115 117 99 104 100 105 114\n104 105\n");
}

TEST(Tokenize, JsonLinesGiveNoTokenFile) {
  const TemporaryFolder folder;
  put(folder / "x.jsonl", "{\"text\": \"ab\"}\n");
  const std::string file = (folder / "x.jsonl").string(), out = (folder / "x.tokens").string();
  expect_program_fault(2, "tokenize --file " + file + " --out " + out, {"tokenize", "--out", "JSON Lines"});
  expect_program_fault(2, "tokenize --input-format jsonl --out " + out + " < " + file,
                       {"tokenize", "--out", "JSON Lines"});
  EXPECT_FALSE(std::filesystem::exists(out));
  expect_program_fault(2, "tokenize --input-format jsonl abc", {"tokenize", "--input-format jsonl"});
}

TEST(Tokenize, SkipsBadLinesOfJsonLines) {
  const TemporaryFolder folder;
  put(folder / "x.jsonl", "{\"text\": \"ab\"}\nx\n{\"text\": \"cd\"}\n");
  const std::string file = (folder / "x.jsonl").string();
  const Outcome outcome = run_program("tokenize --skip-bad --count --file " + file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2\n2\n");
  expect_values(outcome.err, {"line 2", "'" + file + "'", "JSON"});
}

TEST(Tokenize, LearnsAVocabularyWithSpecialTokens) {
  const TemporaryFolder folder;
  const std::string out = (folder / "tok").string();
  const std::string corpus = golden_text("corpus.txt").string();
  expect_summary("tokenize --learn 300 " + corpus + " --out " + out + " --special '<end>'", 1,
                 {out, "300", "43", "140"});
  expect_out("tokenize --tokenizer " + out + " '<end>' --read-specials", "299\n");
  expect_out("tokenize --tokenizer " + out + " '<end>' --count", "4\n");
  // The text yields fewer tokens than requested, and a second line explains it.
  expect_summary("tokenize --learn 100000 " + corpus + " --out " + out + "2", 2,
                 {out + "2", "626", "370", "140"});
}

TEST(Tokenize, LearnsFromFilesAndStdin) {
  const TemporaryFolder folder;
  const std::string corpus = golden_text("corpus.txt").string(), out = (folder / "tok").string();
  const auto learns = [&](const std::string& number, const std::string& from) {
    expect_summary("tokenize --learn 300 --out " + out + number + " " + from, 1,
                   {out + number, "300", "44", "140"});
    EXPECT_EQ(read_file(folder / ("tok" + number) / "vocab.bpe"), read_file(folder / "tok1" / "vocab.bpe"));
  };
  learns("1", corpus);
  learns("2", "--file " + corpus);
  learns("3", "< " + corpus);
  learns("4", "- < " + corpus);
  learns("5", "--file - < " + corpus);
}

TEST(Tokenize, AVocabularyIsNotWrittenToAFolderThatIsNotEmpty) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  put(folder / "vocab.bpe", "another");
  // The folder is checked before the input is read.
  expect_program_fault(2, "tokenize --learn 300 /nowhere --out " + out, {"'" + out + "'"});
  EXPECT_EQ(read_file(folder / "vocab.bpe"), "another");
  EXPECT_FALSE(std::filesystem::exists(folder / "encoder.json"));
}

TEST(Tokenize, AVocabularyThatCannotBeWrittenLeavesNothing) {
  const TemporaryFolder folder;
  const std::string learn =
      "tokenize --learn 270 " + golden_text("corpus.txt").string() + " --out " + (folder / "tok").string();
  // The size limit allows the file of the merges, but not that of the tokens.
  expect_program_fault(4, learn, {"encoder.json"}, "trap '' XFSZ; ulimit -f 1;");
  EXPECT_FALSE(std::filesystem::exists(folder / "tok"));
}

TEST(Tokenize, WritesTokenFilesThatWindowsReads) {
  const TemporaryFolder folder;
  const std::string corpus = golden_text("corpus.txt").string(), out = (folder / "x.tokens").string();
  const Outcome written = run_program("tokenize " + learned() + " --file " + corpus + " --out " + out);
  EXPECT_EQ(written.exit_code, 0) << written.err;
  const Outcome text = run_program("windows " + corpus + " " + learned() + " --json --shuffle --seed 3");
  const Outcome tokens = run_program("windows " + out + " --json --shuffle --seed 3");
  EXPECT_EQ(tokens.exit_code, 0) << tokens.err;
  EXPECT_EQ(tokens.out, text.out);
}

TEST(Tokenize, BadArgumentsAreNamed) {
  expect_program_fault(2, "tokenize --decode --count 1", {"tokenize", "--decode", "--count"});
  expect_program_fault(2, "tokenize a --file b", {"tokenize", "--file"});
  expect_program_fault(2, "tokenize --learn 300", {"tokenize", "--learn", "--out"});
  expect_program_fault(2, "tokenize --learn 10 x --out y", {"tokenize", "--learn", "10", "256"});
  expect_program_fault(2, "tokenize --learn 256 x --out y --special z",
                       {"tokenize", "--learn", "256", "257"});
  expect_program_fault(2, "tokenize --special x a", {"tokenize", "--special", "--learn"});
  expect_program_fault(3, "tokenize --decode 97 x", {"tokenize", "'x'", "token id"});
  expect_program_fault(3, "tokenize --decode 99999999999", {"'99999999999'", "token id"});
  expect_program_fault(3, "tokenize --decode 256", {"256", "0", "255"});
  expect_program_fault(4, "tokenize --tokenizer /nowhere x", {"'/nowhere'", "tokenizer"});
  expect_program_fault(4, "tokenize --file /nowhere", {"'/nowhere'"});
}

TEST(WindowsCommand, TokenIdsOfTheVerdict) {
  if (!has_data()) GTEST_SKIP() << kNoData;
  const Outcome outcome =
      run_program("windows " + (data_folder() / "the-verdict.txt").string() + " --tokenizer " +
                  (data_folder() / "gpt2").string() + " --context 4 --stride 4 --batch 8");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("inputs [8, 4]\n"
                             "  [[   40,   367,  2885,  1464],\n"
                             "   [ 1807,  3619,   402,   271],\n"
                             "   [10899,  2138,   257,  7026],\n"
                             "   [15632,   438,  2016,   257],\n"
                             "   [  922,  5891,  1576,   438],\n"
                             "   [  568,   340,   373,   645],\n"
                             "   [ 1049,  5975,   284,   502],\n"
                             "   [  284,  3285,   326,    11]]\n"),
            std::string::npos)
      << outcome.out;
}

TEST(WindowsCommand, TextAndJson) {
  const TemporaryFolder folder;
  put(folder / "x", "abcdefg");
  const std::string file = (folder / "x").string();
  const Outcome text = run_program("windows " + file + " --context 2 --batch 2");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  expect_values(text.out.substr(0, text.out.find('\n')), {"'" + file + "'", "7", "256", "3", "2"});
  EXPECT_TRUE(
      text.out.ends_with("\n\nepoch 0, batch 0\n\n"
                         "inputs [2, 2]\n  [[ 97,  98],\n   [ 99, 100]]\n\n"
                         "targets [2, 2]\n  [[ 98,  99],\n   [100, 101]]\n"))
      << text.out;
  expect_out("windows " + file + " --context 2 --batch 2 --index 1 --json",
             "{\n  \"tokens\": 7,\n  \"vocabulary\": 256,\n  \"windows\": 3,\n  \"batches\": 2,\n"
             "  \"epoch\": 0,\n  \"batch\": 1,\n  \"shape\": [1, 2],\n"
             "  \"inputs\": [[101, 102]],\n  \"targets\": [[102, 103]]\n}\n");
}

TEST(WindowsCommand, BadArgumentsAreNamed) {
  const TemporaryFolder folder;
  put(folder / "x", "abc");
  const std::string file = (folder / "x").string();
  expect_program_fault(3, "windows " + file, {"'" + file + "'", "3", "5"});
  expect_program_fault(3, "windows " + file + " --context 2 --index 1", {"windows", "1", "0"});
  for (const char* option :
       {"--context 0", "--stride 0", "--stride -1", "--batch 0", "--index -1", "--epoch -1 --shuffle"}) {
    const std::string name = std::string(option).substr(0, std::string_view(option).find(' '));
    expect_program_fault(2, "windows " + file + " --context 2 " + option, {name});
  }
  expect_program_fault(4, "windows /nowhere", {"'/nowhere'"});
}

}  // namespace
}  // namespace locus
