// Fine-tuning, evaluation and inference read a text in the same way: special tokens, segments and padding.
#include <gtest/gtest.h>

#include "locus/apply/classifier.h"
#include "locus/run/saved_run.h"
#include "locus/run/trained_model.h"
#include "locus/train/evaluation.h"
#include "locus/train/task_samples.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

constexpr const char* kWithoutSegments = R"({"model_input_names": ["input_ids", "attention_mask"]})";

class HubFraming : public HubRun {
 protected:
  HubFraming() : HubRun("bert") { add_letters(); }
  bool exported_segments() const {
    const std::filesystem::path file = folder / "out/hub/tokenizer_config.json";
    return has_segments(Config(read_file(file), file));
  }
};

TEST_F(HubFraming, PairsHaveTheSegmentsOfTheTokenizer) {
  put(folder / "x.tsv", "a b\tc\tup\nc b\ta\tdown\n");
  const std::string settings = "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\nbatch_size = 2\n";
  config(model.path().string(), settings);
  EXPECT_EQ(plan().training->at(0, 0).segments, (std::vector<int32_t>{0, 0, 0, 0, 1, 1}));
  put(model / "tokenizer_config.json", kWithoutSegments);
  EXPECT_EQ(plan().training->at(0, 0).segments, std::vector<int32_t>(6, 0));
  // A run that sets them differently says so in the folder that it exports.
  config(model.path().string(), settings + "pair_segments = true\n[train]\nsteps = 1\n");
  EXPECT_EQ(plan().training->at(0, 0).segments, (std::vector<int32_t>{0, 0, 0, 0, 1, 1}));
  ASSERT_EQ(train().exit_code, 0);
  EXPECT_TRUE(exported_segments());
  EXPECT_TRUE(load_run(folder / "out").task.data.pair_segments);
}

TEST_F(HubFraming, TheMaskTokenIsTheOneOfTheFolder) {
  put(model / "tokenizer_config.json", R"({"mask_token": "[PAD]"})");
  put(folder / "x.txt", "a b c d e f a b c d e f a b c d e f a b c d e f");
  config(model.path().string(), "[data]\ntrain = 'x.txt'\ncontext = 12\nmask_rate = 0.9\n");
  const RunPlan planned = plan();
  EXPECT_EQ(planned.task.data.mask_token, "[PAD]");
  EXPECT_GT(std::ranges::count(planned.training->at(0, 0).ids, 0), 3);
}

// An encoder reads windows as `fill` reads a text.
TEST_F(HubFraming, WindowsOfAnEncoderHaveItsSpecialTokens) {
  put(folder / "x.txt", "a b c d e f a b c d e f a b c d e f");
  config(model.path().string(),
         "[data]\ntrain = 'x.txt'\ncontext = 8\nmask_rate = 0.3\n[train]\nsteps = 1\n");
  const Sample sample = plan().training->at(0, 0);
  ASSERT_EQ(sample.ids.size(), 8u);
  EXPECT_EQ(sample.ids.front(), 2) << "[CLS]";
  EXPECT_EQ(sample.ids.back(), 3) << "[SEP]";
  EXPECT_EQ(sample.targets.front(), kernel::kIgnoredTarget);
  EXPECT_EQ(sample.targets.back(), kernel::kIgnoredTarget);
  ASSERT_EQ(train().exit_code, 0);
  for (const char* place : {"out", "out/hub"}) {
    const Outcome filled = run_program("fill " + (folder / place).string() + " 'a [MASK] c' --top 1");
    EXPECT_EQ(filled.out, run_program("fill " + (folder / "out").string() + " 'a [MASK] c' --top 1").out);
    EXPECT_EQ(filled.exit_code, 0) << filled.err;
  }
}

class HubFramingOfGpt2 : public HubRun {
 protected:
  HubFramingOfGpt2() : HubRun("gpt2") { add_letters(); }
};

// A decoder reads what the tokenizer puts before a text in every window, and `generate` before every prompt.
TEST_F(HubFramingOfGpt2, WindowsOfADecoderHaveTheTokensBeforeAText) {
  put(folder / "x.txt", "a b c d e f a b c d e f a b c d e f");
  config(model.path().string(), "[data]\ntrain = 'x.txt'\ncontext = 4\n[train]\nsteps = 3\n");
  const Sample first = plan().training->at(0, 0), second = plan().training->at(1, 0);
  EXPECT_EQ(first.ids, (std::vector<int32_t>{2, 5, 6, 7}));
  EXPECT_EQ(first.targets, (std::vector<int32_t>{kernel::kIgnoredTarget, 6, 7, 8}));
  EXPECT_EQ(second.ids, (std::vector<int32_t>{2, 8, 9, 10})) << "no token is left out";
  ASSERT_EQ(train().exit_code, 0);
  const std::string text = (folder / "x.txt").string();
  const auto eval = [&](const char* place) {
    return run_program("eval " + (folder / place).string() + " " + text + " --lengths 4,8 --json 2>/dev/null")
        .out;
  };
  const std::string run = eval("out"), hub = eval("out/hub");
  EXPECT_EQ(run.substr(run.find("\"file\"")), hub.substr(hub.find("\"file\"")));
  EXPECT_EQ(run_program("generate " + (folder / "out").string() + " 'a b' --max-tokens 3").out,
            run_program("generate " + (folder / "out/hub").string() + " 'a b' --max-tokens 3").out);
}

// A tokenizer that ends every text with padding, as some do: `classify` and `eval` ignore it.
TEST(HubFramingOfClassifier, PaddingAtTheEndOfATextIsIgnored) {
  const FolderOf folder("gpt2-class");
  put(folder / "tokenizer.json",
      R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "decoder": null,
          "post_processor": {"type": "TemplateProcessing", "pair": [], "single": [
              {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<pad>", "type_id": 0}}],
            "special_tokens": {"<pad>": {"id": "<pad>", "ids": [0], "tokens": ["<pad>"]}}},
          "model": {"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 9, "vocab": {"<pad>": 0, "a": 1, "b": 2}}})");
  put(folder / "x.tsv", "b a b\tLABEL_1\n");
  const TrainedModel trained(folder.path());
  EXPECT_EQ(samples_of(trained.task(), folder / "x.tsv")->at(0, 0).ids, (std::vector<int32_t>{2, 1, 2}));
  const std::vector<TextInput> text = {{"b a b"}};
  const std::vector<double> scores = Classifier(folder.path()).classify(text)[0].scores;
  const Evaluation evaluation = evaluate(trained, folder / "x.tsv");
  EXPECT_NEAR(evaluation.numbers.front().second, -std::log(scores[1]), 1e-6)
      << evaluation.numbers.front().first;
}

}  // namespace
}  // namespace locus
