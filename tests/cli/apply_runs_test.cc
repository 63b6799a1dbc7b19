// Models trained with locus train, applied to texts by the same commands as Hugging Face model folders.
#include <gtest/gtest.h>

#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

class AppliedRun : public ::testing::Test {
 protected:
  // Trains long enough to memorize the data.
  void train(const std::string& name, const std::string& data, const std::string& model) const {
    put(folder / name, data);
    put(folder / "run.toml",
        "[model]\nwidth = 16\nlayers = 1\nheads = 2\ninit_std = 0.2\nmax_length = 32\n" + model +
            "[model.scheme]\nname = 'learned'\n[data]\ntrain = '" + name +
            "'\nvalidation_split = 0\ncontext = 32\nbatch_size = 8\n"
            "[train]\nsteps = 80\nlearning_rate = 0.02\neval_every = 0\nsave_every = 80\n");
    const Outcome trained =
        run_program("train " + (folder / "run.toml").string() + " --out " + (folder / "out").string());
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  std::string output_of(const std::string& command, const std::string& arguments) const {
    const Outcome outcome = run_program(command + " " + (folder / "out").string() + " " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  void expect_bad_data(const std::string& command, const std::string& arguments,
                       std::initializer_list<std::string_view> values) const {
    expect_program_fault(3, command + " " + (folder / "out").string() + " " + arguments, values);
  }
  const TemporaryFolder folder{in_memory()};
};

TEST_F(AppliedRun, Classify) {
  train("x.tsv", "aaa\tfirst\nbbb\tsecond\naa\tfirst\nbbbb\tsecond\n",
        "kind = 'encoder'\nhead = 'sequence_class'\n");
  const std::string classes = output_of("classify", "aaa bbbb");
  EXPECT_NE(classes.find("\tfirst\taaa\n"), std::string::npos) << classes;
  EXPECT_NE(classes.find("\tsecond\tbbbb\n"), std::string::npos) << classes;
  EXPECT_NE(output_of("embed", "aaa").find("\"embedding\": ["), std::string::npos);
  // explain reads a sentence with the special tokens of classify.
  const Outcome explained = run_program("explain 'a b a' --json --model " + (folder / "out").string());
  EXPECT_TRUE(contains(explained.out, R"("tokens": ["<s>", "a", " ", "b", " ", "a"])")) << explained.out;
  expect_bad_data("tag", "a", {"'" + (folder / "out").string() + "'", "sequence_class", "token_class"});
  expect_bad_data("classify", std::string(40, 'a'), {"text 1", "41", "32", "--truncate"});
}

TEST_F(AppliedRun, ClassifyPairs) {
  train("x.tsv", "a\ta\tsame\nb\tb\tsame\na\tb\tother\nb\ta\tother\n",
        "kind = 'encoder'\nhead = 'sequence_class'\n");
  const std::string classes = output_of("classify", "--pairs a a b a");
  EXPECT_NE(classes.find("\tsame\ta\ta\n"), std::string::npos) << classes;
  EXPECT_NE(classes.find("\tother\tb\ta\n"), std::string::npos) << classes;
}

TEST_F(AppliedRun, Tag) {
  train("x.tsv", "the dog ran\tO B-N V\na big cat sat\tO B-N I-N V\nit ran\tB-N V\n",
        "kind = 'encoder'\nhead = 'token_class'\n");
  const std::string spans = output_of("tag", "'a big  cat sat' --json");
  EXPECT_NE(spans.find("\"label\": \"N\""), std::string::npos) << spans;
  EXPECT_NE(spans.find("\"start\": 2, \"end\": 10, \"text\": \"big  cat\"}"), std::string::npos) << spans;
  EXPECT_NE(spans.find("\"start\": 11, \"end\": 14, \"text\": \"sat\"}"), std::string::npos) << spans;
}

TEST_F(AppliedRun, Answer) {
  train("q.jsonl",
        R"({"question": "who", "context": "a dog ran", "answers": {"text": ["dog"], "answer_start": [2]}})"
        "\n"
        R"({"question": "did", "context": "cats ran", "answers": {"text": ["ran"], "answer_start": [5]}})"
        "\n"
        R"({"question": "why", "context": "cats ran", "answers": {"text": [], "answer_start": []}})"
        "\n",
        "kind = 'encoder'\nhead = 'answer'\n");
  EXPECT_EQ(output_of("answer", "who 'a dog ran' did 'cats ran' why 'cats ran'"), "dog\nran\nno answer\n");
}

TEST_F(AppliedRun, Fill) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "abcdefgh";
  train("x.txt", text, "kind = 'encoder'\nhead = 'masked_token'\n");
  const std::string choices = output_of("fill", "'abc<mask>efghabcdefgh' --top 1");
  EXPECT_NE(choices.find("\td\tabcdefghabcdefgh\n"), std::string::npos) << choices;
  expect_bad_data("fill", "abc", {"text 1", "<mask>"});
}

TEST_F(AppliedRun, Translate) {
  train("x.tsv", "ab\tba\ncd\tdc\nabc\tcba\n", "kind = 'encoder-decoder'\nhead = 'next_token'\n");
  EXPECT_EQ(output_of("translate", "ab cd abc"), "ba\ndc\ncba\n");
  EXPECT_EQ(output_of("generate", "ab cd abc --beams 1"), "ba\ndc\ncba\n");
}

}  // namespace
}  // namespace locus
