#include "locus/apply/classifier.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

std::vector<TextInput> inputs(const Expected& expected) {
  std::vector<TextInput> result;
  for (const Expected::Value value : expected.cases()) {
    result.push_back({text_of(value, "text")});
    if (has(value, "text_pair")) result.back().second = text_of(value, "text_pair");
  }
  return result;
}

void expect_scores(const std::filesystem::path& folder, const char* kind, const char* job = "classify") {
  const Expected expected(job);
  const Classifier classifier(folder);
  ASSERT_EQ(classifier.labels().size(), 3);
  const std::vector<Classification> found = classifier.classify(inputs(expected));
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    const Classification& one = found[i++];
    for (size_t label = 0; label < 3; ++label) {
      const double wanted = number_of(value[kind].value(), classifier.labels()[label].c_str());
      EXPECT_NEAR(one.scores[label], wanted, kNear) << kind << " " << text_of(value, "text");
      EXPECT_LE(one.scores[label], one.scores[one.best]);
    }
  }
}

TEST(Classifier, TextsAndPairs) {
  expect_scores(golden_model("classify"), "scores");
  EXPECT_EQ(Classifier(golden_model("classify")).labels(), (std::vector<std::string>{"bad", "fair", "good"}));
}

TEST(Classifier, EncoderAndDecoderBothReadATextToClassify) {
  expect_scores(golden_model("entail"), "scores", "entail");
}

TEST(Classifier, AnEncoderDecoderClassifiesByTheEndToken) {
  const CopyOf folder("entail");
  std::string config = read_file(folder / "config.json");
  const std::string end = "\"eos_token_id\": 3";
  put(folder / "config.json", config.replace(config.find(end), end.size(), "\"eos_token_id\": 2"));
  expect_error(Fault::data, {"text 1", "3", "eos_token_id", "config.json", "2"},
               [&] { Classifier(folder.path()).classify(std::vector<TextInput>{{"it ran"}}); });
}

TEST(Classifier, ScoresOfTextsThatMayHaveSeveralClasses) {
  const CopyOf folder("classify");
  std::string config = read_file(folder / "config.json");
  config.replace(config.find('{'), 1, R"({"problem_type": "multi_label_classification",)");
  put(folder / "config.json", config);
  expect_scores(folder.path(), "sigmoid");
}

TEST(Classifier, ARegressionGivesItsLogits) {
  const CopyOf folder("classify");
  std::string config = read_file(folder / "config.json");
  put(folder / "config.json",
      std::string(config).replace(config.find('{'), 1, R"({"problem_type": "regression",)"));
  const std::vector<TextInput> text = {{"the dog"}};
  const Classification raw = Classifier(folder.path()).classify(text)[0];
  put(folder / "config.json",
      std::string(config).replace(config.find('{'), 1, R"({"problem_type": "multi_label_classification",)"));
  const Classification sigmoid = Classifier(folder.path()).classify(text)[0];
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(sigmoid.scores[i], 1 / (1 + std::exp(-raw.scores[i])));
  }
}

TEST(Classifier, ADecoderClassifiesByTheLastNonPaddingToken) {
  const TemporaryFolder folder;
  std::filesystem::copy(std::filesystem::path(LOCUS_GOLDEN) / "family/gpt2-class", folder.path());
  const auto scores = [&](const std::string& end) {
    put(folder / "tokenizer.json",
        R"({"added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "decoder": null,
            "post_processor": {"type": "TemplateProcessing", "pair": [], "single": [
                {"Sequence": {"id": "A", "type_id": 0}})" +
            end + R"(],
              "special_tokens": {"<pad>": {"id": "<pad>", "ids": [0], "tokens": ["<pad>"]}}},
            "model": {"type": "WordPiece", "unk_token": "a", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 9, "vocab": {"<pad>": 0, "a": 1, "b": 2}}})");
    return Classifier(folder.path()).classify(std::vector<TextInput>{{"b a b"}})[0].scores;
  };
  EXPECT_EQ(scores(R"(, {"SpecialToken": {"id": "<pad>", "type_id": 0}})"), scores(""));
}

TEST(Classifier, TheBitsOfATextDoNotDependOnItsBatch) {
  const Classifier classifier(golden_model("classify"));
  const std::vector<TextInput> all = inputs(Expected("classify"));
  const std::vector<Classification> together = classifier.classify(all);
  const std::vector<Classification> small = classifier.classify(all, {.batch_tokens = 7});
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(small[i].scores, together[i].scores);
    EXPECT_EQ(classifier.classify(std::span(all).subspan(i, 1))[0].scores, together[i].scores);
  }
}

TEST(Classifier, PairsAreCutLongestFirst) {
  const Classifier classifier(golden_model("classify"));
  const std::string many(60, '.'), fewer(35, '.');
  const std::vector<TextInput> pair = {{many, "ab"}}, cut = {{fewer, "ab"}};
  expect_error(Fault::data, Code::context_too_long, {"text 1", "65", "40"},
               [&] { classifier.classify(pair); });
  EXPECT_EQ(classifier.classify(pair, {.truncate = true})[0].scores, classifier.classify(cut)[0].scores);
}

TEST(Classifier, PairsHaveOneSegmentIfTheTokenizerHasNoSegments) {
  const CopyOf folder("classify");
  const std::vector<TextInput> pair = {{"the dog ran", "it sat"}};
  const auto scores = [&] { return Classifier(folder.path()).classify(pair)[0].scores; };
  const std::vector<double> with = scores();
  put(folder / "tokenizer_config.json", R"({"model_input_names": ["input_ids", "token_type_ids"]})");
  EXPECT_EQ(scores(), with);
  put(folder / "tokenizer_config.json", R"({"model_input_names": ["input_ids", "attention_mask"]})");
  EXPECT_NE(scores(), with);
}

TEST(ClassifierFaults, ATokenizerThatTruncatesAtTheBeginning) {
  const CopyOf folder("classify");
  put(folder / "tokenizer_config.json", R"({"truncation_side": "left"})");
  const Classifier classifier(folder.path());
  const std::vector<TextInput> fine = {{"the dog"}}, longer = {{std::string(60, '.')}};
  EXPECT_NO_THROW(classifier.classify(fine, {.truncate = true}));
  expect_error(Fault::data, Code::unsupported_field, {"text 1", "62", "40", "truncation_side"},
               [&] { classifier.classify(longer, {.truncate = true}); });
}

TEST(ClassifierFaults, AnUnknownProblemType) {
  const CopyOf folder("classify");
  std::string config = read_file(folder / "config.json");
  put(folder / "config.json", config.replace(config.find('{'), 1, R"({"problem_type": "ranking",)"));
  expect_error(Fault::data,
               {"config.json", "problem_type", "'ranking'", "regression", "single_label_classification",
                "multi_label_classification"},
               [&] { Classifier classifier(folder.path()); });
}

TEST(Classifier, LabelsWithoutANameGetNumbers) {
  const CopyOf folder("classify");
  const std::string config = read_file(folder / "config.json");
  const auto put_labels = [&](const char* labels) {
    std::string changed = config;
    changed.replace(changed.find("\"id2label\""), 0,
                    "\"num_labels\": 3, \"id2label\": " + std::string(labels) + ", \"was\": 0, ");
    changed.replace(changed.rfind("\"id2label\""), 10, "\"named\"");
    put(folder / "config.json", changed);
  };
  const std::vector<TextInput> text = {{"the dog"}};
  put_labels("{}");
  const Classifier classifier(folder.path());
  EXPECT_EQ(classifier.labels(), (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(classifier.classify(text)[0].scores,
            Classifier(golden_model("classify")).classify(text)[0].scores);
  put_labels(R"({"0": "bad"})");
  EXPECT_EQ(Classifier(folder.path()).labels(), (std::vector<std::string>{"bad", "LABEL_1", "LABEL_2"}));
  put_labels(R"({"0": "a", "1": "b", "2": "c", "3": "d"})");
  expect_error(Fault::data, {folder.path().c_str(), "4", "3"}, [&] { Classifier other(folder.path()); });
}

TEST(ClassifierFaults, AnotherHead) {
  expect_error(Fault::data, Code::wrong_head,
               {golden_model("fill").c_str(), "masked_token", "sequence_class"},
               [] { Classifier classifier(golden_model("fill")); });
}

}  // namespace
}  // namespace locus
