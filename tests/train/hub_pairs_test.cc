// Hugging Face encoder-decoders, trained on pairs of texts or on labels: tiny golden folders with the special
// tokens of T5 and of BART.
#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "locus/run/saved_run.h"
#include "tests/train/hub_run.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

using Ids = std::vector<int32_t>;

// Letters a to f with ids from 3 on. The token </s> (id 1) ends every text.
constexpr const char* kLetters = R"({"added_tokens": [
  {"id": 0, "content": "<pad>", "special": true, "normalized": false},
  {"id": 1, "content": "</s>", "special": true, "normalized": false},
  {"id": 2, "content": "<unk>", "special": true, "normalized": false}],
"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
"post_processor": {"type": "TemplateProcessing",
  "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
  "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}},
           {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
  "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
"decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
"model": {"type": "Unigram", "unk_id": 2, "vocab": [["<pad>", 0], ["</s>", 0], ["<unk>", 0],
  ["▁a", -1], ["▁b", -1], ["▁c", -1], ["▁d", -1], ["▁e", -1], ["▁f", -1]]}})";

constexpr const char* kData = "[data]\ntrain = 'x.tsv'\nbatch_size = 4\n";

class HubPairs : public HubRun {
 protected:
  explicit HubPairs(const std::string& family = "t5") : HubRun(family) {
    put(model / "tokenizer.json", kLetters);
    put(folder / "x.tsv", "a b c\tc b a\nd e\te d\nf a\ta f\nb\tb\n");
  }
  void expect_same_logits(const Ids& text, const Ids& ids) const {
    const SavedRun run = load_run(folder / "out");
    const ModelFolder hub = open_model(folder / "out" / "hub");
    const NoGrad guard;
    const Blueprint& b = run.model.blueprint();
    const Tokens read = tokens_of({text}, b), written = tokens_of({ids}, b);
    EXPECT_EQ(hub.model(read, written).value().values(), run.model(read, written).value().values());
  }
};

TEST_F(HubPairs, TheDecoderReadsTheStartTokenAndThenTheTarget) {
  config(model.path().string(), kData);
  const RunPlan planned = plan();
  EXPECT_EQ(planned.task.data.start_token, 0);
  const Sample sample = planned.training->at(0, 0);
  EXPECT_EQ(sample.text, (Ids{3, 4, 5, 1})) << "a b c </s>";
  EXPECT_EQ(sample.targets, (Ids{5, 4, 3, 1})) << "c b a </s>";
  EXPECT_EQ(sample.ids, (Ids{0, 5, 4, 3})) << "<pad> c b a";
  expect_loss_of_forward(plan(), 2,
                         {.input_ids = Tensor::of({2, 4}, Ids{3, 4, 5, 1, 6, 7, 1, 0}),
                          .attention_mask = Tensor::of({2, 4}, Ids{1, 1, 1, 1, 1, 1, 1, 0}),
                          .decoder_input_ids = Tensor::of({2, 4}, Ids{0, 5, 4, 3, 0, 7, 6, 0}),
                          .labels = Tensor::of({2, 4}, Ids{5, 4, 3, 1, 7, 6, 1, -100})});
  // Missing decoder_input_ids are computed from the labels, as in transformers.
  expect_loss_of_forward(
      plan(), 1,
      {.input_ids = Tensor::of({1, 4}, Ids{3, 4, 5, 1}), .labels = Tensor::of({1, 4}, Ids{5, 4, 3, 1})});
}

TEST_F(HubPairs, AT5LearnsToWriteBackwards) {
  model.change("\"dropout_rate\": 0.1", "\"dropout_rate\": 0.0");
  config(
      model.path().string(),
      std::string(kData) +
          "validation = 'x.tsv'\n[train]\nsteps = 60\nlearning_rate = 0.02\nwarmup = 0\neval_every = 60\n");
  expect_trained();
  expect_same_logits({3, 4, 5, 1}, {0, 5, 4});
  expect_output("translate", "'a b c' 'd e' 'f a' b", "c b a\ne d\na f\nb\n");
  const Outcome outcome =
      run_program("eval " + (folder / "out").string() + " " + (folder / "x.tsv").string() + " --json");
  EXPECT_NE(outcome.out.find("\"exact_match\": 1,"), std::string::npos) << outcome.out;
}

TEST_F(HubPairs, TruncationKeepsTheEndToken) {
  config(model.path().string(), std::string(kData) + "context = 3\n");
  expect_refused(Fault::data, Code::context_too_long, {"x.tsv", "line 1", "4", "3"});
  config(model.path().string(), std::string(kData) + "context = 3\ntruncate = true\n");
  const Sample sample = plan().training->at(0, 0);
  EXPECT_EQ(sample.text, (Ids{3, 4, 1}));
  EXPECT_EQ(sample.targets, (Ids{5, 4, 1}));
  EXPECT_EQ(sample.ids, (Ids{0, 5, 4}));
}

TEST_F(HubPairs, WithoutAStartToken) {
  model.change("\"decoder_start_token_id\": 0,", "");
  config(model.path().string(), kData);
  expect_refused(Fault::data, {"config.json", "decoder_start_token_id", "data.start_token"});
  config(model.path().string(), std::string(kData) + "start_token = 29\n");
  expect_refused(Fault::data, {"data.start_token is 29", "model.vocabulary, 29"});
  model.change("\"eos_token_id\": 1,", "\"eos_token_id\": 2,");
  config(model.path().string(), std::string(kData) + "start_token = 7\n[train]\nsteps = 1\n");
  EXPECT_EQ(plan().training->at(0, 0).ids, (Ids{7, 5, 4, 3}));
  ASSERT_EQ(train().exit_code, 0);
  const Config saved(folder / "out" / "hub" / "config.json");
  EXPECT_EQ(saved.integer("decoder_start_token_id", 0, 100), 7);
  EXPECT_EQ(saved.integer("eos_token_id", 0, 100), 1) << "what the vocabulary ended texts with";
}

TEST_F(HubPairs, ATokenizerWithoutAnEndTokenIsAnError) {
  std::string text = read_file(model / "tokenizer.json");
  const size_t begin = text.find("\"post_processor\""), end = text.find("\"decoder\"");
  put(model / "tokenizer.json", text.erase(begin, end - begin));
  config(model.path().string(), kData);
  expect_refused(Fault::data, {"x.tsv", "line 1", "'c b a'"});
}

class HubPairsOfBart : public HubRun {
 protected:
  HubPairsOfBart() : HubRun("bart") {
    fs::remove_all(model.path());
    fs::copy(fs::path(LOCUS_GOLDEN) / "apply" / "translate", model.path(), fs::copy_options::recursive);
    put(folder / "x.tsv", "the dog\tdog the\nthe cat\tcat the\n");
  }
};

TEST_F(HubPairsOfBart, TargetsHaveAStartTokenToo) {
  model.change("\"dropout\": 0.1", "\"dropout\": 0.0");
  config(model.path().string(), std::string(kData) + "[train]\nsteps = 120\nlearning_rate = 0.02\n");
  const Sample sample = plan().training->at(0, 0);
  EXPECT_EQ(sample.text, (Ids{2, 5, 6, 3})) << "[CLS] the dog [SEP]";
  EXPECT_EQ(sample.targets, (Ids{2, 6, 5, 3}));
  EXPECT_EQ(sample.ids, (Ids{3, 2, 6, 5})) << "[SEP] [CLS] dog the";
  expect_trained();
  expect_output("translate", "'the dog' 'the cat'", "dog the\ncat the\n");
  const Config generation(folder / "out" / "hub" / "generation_config.json");
  EXPECT_EQ(generation.integer("forced_bos_token_id", 0, 100), 2) << "other members are unchanged";
}

TEST_F(HubPairsOfBart, LearnsLabelsOfATextThatEncoderAndDecoderRead) {
  put(folder / "x.tsv", "the dog\tup\ndog the\tdown\n");
  config(model.path().string(),
         std::string("head = 'sequence_class'\n") + kData + "[train]\nsteps = 40\nlearning_rate = 0.02\n");
  const Sample sample = plan().training->at(0, 0);
  EXPECT_EQ(sample.text, (Ids{2, 5, 6, 3})) << "[CLS] the dog [SEP]";
  EXPECT_EQ(sample.ids, (Ids{3, 2, 5, 6})) << "[SEP] [CLS] the dog";
  expect_loss_of_forward(
      plan(), 2,
      {.input_ids = Tensor::of({2, 4}, Ids{2, 5, 6, 3, 2, 6, 5, 3}), .labels = Tensor::of({2}, Ids{1, 0})});
  expect_trained();
  for (const char* place : {"out", "out/hub"}) {
    const Outcome outcome = run_program("classify " + (folder / place).string() + " 'the dog' 'dog the'");
    const size_t first = outcome.out.find("\tup\t"), second = outcome.out.find("\tdown\t");
    EXPECT_LT(first, second) << outcome.out << outcome.err;
    EXPECT_NE(second, std::string::npos) << outcome.out;
  }
  EXPECT_EQ(Config(folder / "out" / "hub" / "config.json").text("architectures.0"),
            "BartForSequenceClassification");
}

TEST_F(HubPairsOfBart, AnotherStartTokenIsSavedForTransformers) {
  config(model.path().string(), std::string(kData) + "start_token = 4\n[train]\nsteps = 1\n");
  ASSERT_EQ(train().exit_code, 0);
  for (const char* file : {"config.json", "generation_config.json"}) {
    const Config saved(folder / "out" / "hub" / file);
    EXPECT_EQ(saved.integer("decoder_start_token_id", 0, 100), 4) << file;
    EXPECT_EQ(saved.integer("eos_token_id", 0, 100), 3) << file;
  }
}

}  // namespace
}  // namespace locus
