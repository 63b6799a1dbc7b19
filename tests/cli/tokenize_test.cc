// locus tokenize and locus windows as a user meets them.
#include <gtest/gtest.h>

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

void expect_fault(int exit_code, const std::string& arguments, const std::string& message) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

TEST(Tokenize, TextsToIdsAndBack) {
  expect_out("tokenize abc 'd e'", "97 98 99\n100 32 101\n");
  expect_out("tokenize --count abc ''", "3\n0\n");
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

TEST(Tokenize, LearnsAVocabularyAndReadsItsSpecialTokens) {
  const TemporaryFolder folder;
  const std::string out = (folder / "tok").string();
  const std::string corpus = golden_text("corpus.txt").string();
  expect_out("tokenize --learn 300 " + corpus + " --out " + out + " --special '<end>'",
             out + ": 300 tokens, 43 merges from 140 different words\n");
  expect_out("tokenize --tokenizer " + out + " '<end>' --read-specials", "299\n");
  expect_out("tokenize --tokenizer " + out + " '<end>' --count", "4\n");
  const Outcome small = run_program("tokenize --learn 100000 " + corpus + " --out " + out + "2");
  EXPECT_NE(small.out.find("the text gives no more tokens"), std::string::npos) << small.out << small.err;
}

TEST(Tokenize, LearnsFromFilesAndStdin) {
  const TemporaryFolder folder;
  const std::string corpus = golden_text("corpus.txt").string(), out = (folder / "tok").string();
  const auto learns = [&](const std::string& number, const std::string& from) {
    expect_out("tokenize --learn 300 --out " + out + number + " " + from,
               out + number + ": 300 tokens, 44 merges from 140 different words\n");
    EXPECT_EQ(read_file(folder / ("tok" + number) / "vocab.bpe"), read_file(folder / "tok1" / "vocab.bpe"));
  };
  learns("1", corpus);
  learns("2", "--file " + corpus);
  learns("3", "< " + corpus);
  learns("4", "- < " + corpus);
  learns("5", "--file - < " + corpus);
}

TEST(Tokenize, AVocabularyTakesNoFolderThatHoldsSomething) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  put(folder / "vocab.bpe", "another");
  // Told before anything is read.
  expect_fault(2, "tokenize --learn 300 /nowhere --out " + out, "'" + out + "': is there already");
  EXPECT_EQ(read_file(folder / "vocab.bpe"), "another");
  EXPECT_FALSE(std::filesystem::exists(folder / "encoder.json"));
}

TEST(Tokenize, AVocabularyThatCannotBeWrittenLeavesNothing) {
  const TemporaryFolder folder;
  const std::string learn =
      "tokenize --learn 270 " + golden_text("corpus.txt").string() + " --out " + (folder / "tok").string();
  // Room for the merges, and not for the tokens.
  const Outcome outcome = run_program(learn, "trap '' XFSZ; ulimit -f 1;");
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("encoder.json"), std::string::npos) << outcome.err;
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

TEST(Tokenize, RefusesWhatMakesNoSense) {
  expect_fault(2, "tokenize --decode --count 1", "tokenize: --decode and --count exclude each other");
  expect_fault(2, "tokenize a --file b", "tokenize: words and --file exclude each other");
  expect_fault(2, "tokenize --learn 300", "tokenize: --learn needs --out, a new folder for the vocabulary");
  expect_fault(2, "tokenize --learn 10 x --out y", "tokenize: --learn is 10, expected 256 or more");
  expect_fault(2, "tokenize --learn 256 x --out y --special z",
               "tokenize: --learn is 256, expected 257 or more");
  expect_fault(2, "tokenize --special x a", "tokenize: --special names tokens for --learn");
  expect_fault(3, "tokenize --decode 97 x", "tokenize: 'x' is not a token id, expected a number");
  expect_fault(3, "tokenize --decode 99999999999", "is not a token id");
  expect_fault(3, "tokenize --decode 256", "token id is 256, expected 0 to 255");
  expect_fault(4, "tokenize --tokenizer /nowhere x", "cannot open the tokenizer folder '/nowhere'");
  expect_fault(4, "tokenize --file /nowhere", "cannot open '/nowhere'");
}

TEST(WindowsCommand, TheMatrixOfTheDocument) {
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
  expect_out("windows " + file + " --context 2 --batch 2",
             "'" + file +
                 "': 7 tokens of a vocabulary of 256, 3 windows of 2, 2 batches of 2\n\n"
                 "epoch 0, batch 0\n\n"
                 "inputs [2, 2]\n  [[ 97,  98],\n   [ 99, 100]]\n\n"
                 "targets [2, 2]\n  [[ 98,  99],\n   [100, 101]]\n");
  expect_out("windows " + file + " --context 2 --batch 2 --index 1 --json",
             "{\n  \"tokens\": 7,\n  \"vocabulary\": 256,\n  \"windows\": 3,\n  \"batches\": 2,\n"
             "  \"epoch\": 0,\n  \"batch\": 1,\n  \"shape\": [1, 2],\n"
             "  \"inputs\": [[101, 102]],\n  \"targets\": [[102, 103]]\n}\n");
}

TEST(WindowsCommand, RefusesWhatMakesNoSense) {
  const TemporaryFolder folder;
  put(folder / "x", "abc");
  const std::string file = (folder / "x").string();
  expect_fault(3, "windows " + file, "has 3 tokens, expected at least 5");
  expect_fault(3, "windows " + file + " --context 2 --index 1", "windows: batch 1 of 1, expected 0 to 0");
  for (const char* option :
       {"--context 0", "--stride 0", "--stride -1", "--batch 0", "--index -1", "--epoch -1 --shuffle"}) {
    const std::string name = std::string(option).substr(0, std::string_view(option).find(' '));
    expect_fault(2, "windows " + file + " --context 2 " + option, name);
  }
  expect_fault(4, "windows /nowhere", "cannot open '/nowhere'");
}

}  // namespace
}  // namespace locus
