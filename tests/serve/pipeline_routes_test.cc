// The pipelines at / and /models/NAME, with the bodies that InferenceClient sends.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/apply/result_json.h"
#include "locus/apply/zero_shot.h"
#include "locus/text/readable.h"
#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

class Pipeline {
 public:
  explicit Pipeline(const std::string& job) : service_({.folder = golden_model(job)}) {
    service_.wait_until_ready();
  }
  Parsed ask(const std::string& body) {
    const HttpAnswer answer = serve::ask(service_, "/", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body, serve::ask(service_, "/models/some/name", body).body);
    return Parsed(answer.body);
  }
  void refused(const std::string& body, std::initializer_list<const char*> values) {
    expect_refused(service_, "/", body, 400, values);
  }

 private:
  Service service_;
};

TEST(PipelineRoutes, TextClassification) {
  Pipeline classify("classify");
  const Parsed found = classify.ask(R"({"inputs": "The dog chased the ball.", "parameters": {"top_k": 2}})");
  EXPECT_EQ(found.count("/0"), 2U);
  EXPECT_EQ(found.text("/0/0/label"), "bad");
  EXPECT_NEAR(found.number("/0/0/score"), 0.56813, 1e-4);
  const Classifier classifier(golden_model("classify"));
  const std::vector<float> logits = classifier.logits({{"The dog chased the ball."}}).at(0);
  const auto applied = [&](const std::string& function) {
    return classify
        .ask(R"({"inputs": "The dog chased the ball.", "parameters": {"function_to_apply": ")" + function +
             "\"}}")
        .number("/0/0/score");
  };
  const double best = *std::ranges::max_element(logits);
  EXPECT_NEAR(applied("none"), best, 1e-6);
  EXPECT_NEAR(applied("sigmoid"), 1 / (1 + std::exp(-best)), 1e-6);
  EXPECT_NEAR(applied("softmax"), 0.56813, 1e-4);
  classify.refused(R"({"inputs": "a", "parameters": {"function_to_apply": "tanh"}})", {"tanh", "sigmoid"});
  classify.refused(R"({"inputs": "a", "parameters": {"topk": 2}})", {"parameters.topk", "top_k"});
  classify.refused(R"({"inputs": []})", {"inputs"});
  classify.refused(R"({"inputs": "a", "parameters": 3})", {"parameters"});
}

TEST(PipelineRoutes, ZeroShotClassification) {
  Pipeline entail("entail");
  const Classifier classifier(golden_model("entail"));
  const std::vector<std::string> labels = {"who", "dog", "big ball"}, texts = {"The dog chased the ball."};
  const Classification expected = ZeroShot(classifier, labels).classify(texts).at(0);
  const Parsed found = entail.ask(
      R"({"inputs": "The dog chased the ball.", "parameters": {"candidate_labels": ["who", "dog", "big ball"]}})");
  EXPECT_EQ(found.text("/0/label"), labels[expected.best]);
  EXPECT_NEAR(found.number("/0/score"), expected.scores[expected.best], 1e-7);
  EXPECT_GE(found.number("/0/score"), found.number("/1/score"));
  const double alone = ZeroShot(classifier, {"dog"}).classify(texts).at(0).scores.at(0);
  const Parsed each = entail.ask(R"({"inputs": "The dog chased the ball.",
      "parameters": {"candidate_labels": ["dog", "who"], "multi_label": true}})");
  const std::string dog = each.text("/0/label") == "dog" ? "/0" : "/1";
  EXPECT_NEAR(each.number(dog + "/score"), alone, 1e-7);
  entail.refused(R"({"inputs": "a", "parameters": {"candidate_labels": []}})", {"candidate_labels"});
}

TEST(PipelineRoutes, TokenClassification) {
  Pipeline tag("tag");
  const Parsed found = tag.ask(R"({"inputs": "The dog chased the ball."})");
  EXPECT_EQ(found.text("/0/entity_group"), "PER");
  EXPECT_EQ(found.text("/0/word"), "The");
  EXPECT_EQ(found.number("/1/start"), 4);
  EXPECT_EQ(found.number("/1/end"), 14);
  const std::string words =
      R"({"inputs": "Ada Lovelace lives in London.", "parameters": {"aggregation_strategy": )";
  const Parsed tokens = tag.ask(words + R"("none"}})");
  EXPECT_EQ(tokens.text("/0/entity"), "I-PER");
  EXPECT_EQ(tokens.text("/0/word"), "ada");
  EXPECT_EQ(tokens.number("/0/index"), 1);
  EXPECT_EQ(tokens.text("/2/word"), "##o");
  const Parsed joined = tag.ask(words + R"("first"}})");
  EXPECT_EQ(joined.count(""), 6U);
  EXPECT_EQ(joined.text("/1/word"), "Lovelace");
  const size_t all = tag.ask(R"({"inputs": "The dog chased the ball."})").count("");
  const Parsed some =
      tag.ask(R"({"inputs": "The dog chased the ball.", "parameters": {"ignore_labels": ["O", "PER"]}})");
  EXPECT_LT(some.count(""), all);
  EXPECT_EQ(simdjson::minify(some.at("")).find("PER"), std::string::npos);
  tag.refused(R"({"inputs": "a", "parameters": {"ignore_labels": ["PER"]}})", {"ignore_labels", "O"});
  tag.refused(R"({"inputs": "a", "parameters": {"ignore_labels": [3]}})", {"ignore_labels", "strings"});
  tag.refused(R"({"inputs": "a", "parameters": {"stride": 2}})", {"stride", "not supported"});
  tag.refused(R"({"inputs": "a", "parameters": {"aggregation_strategy": "most"}})",
              {"aggregation_strategy", "most", "average"});
}

TEST(PipelineRoutes, FillMask) {
  Pipeline fill("fill");
  const Parsed found = fill.ask(R"({"inputs": "The [MASK] sat.", "parameters": {"top_k": 2}})");
  EXPECT_EQ(found.number("/0/token"), 59);
  EXPECT_EQ(found.text("/0/token_str"), "##i");
  EXPECT_EQ(found.text("/0/sequence"), "thei sat.");
  EXPECT_EQ(found.count(""), 2U);
  const Parsed chosen =
      fill.ask(R"({"inputs": "The [MASK] sat.", "parameters": {"targets": ["dog", "the", "dog"]}})");
  EXPECT_EQ(chosen.count(""), 2U);
  EXPECT_GE(chosen.number("/0/score"), chosen.number("/1/score"));
  for (const char* place : {"/0", "/1"}) {
    const std::string token = chosen.text(std::string(place) + "/token_str");
    EXPECT_TRUE(token == "dog" || token == "the") << token;
  }
  fill.refused(R"({"inputs": "[MASK]", "parameters": {"targets": ["the dog"]}})", {"the dog", "vocabulary"});
  fill.refused(R"({"inputs": "[MASK]", "parameters": {"targets": ["\u4e16"]}})", {"vocabulary"});
  fill.refused(R"({"inputs": "[MASK]", "parameters": {"targets": []}})", {"targets"});
}

TEST(PipelineRoutes, QuestionAnswering) {
  Pipeline answer("answer");
  const Answerer answerer(golden_model("answer"));
  const std::vector<QuestionInput> asked = {{"who?", "the dog ran."}, {"ran", "It sat. The dog ran."}};
  for (const QuestionInput& one : asked) {
    const FoundAnswer expected = answerer.answer({one})[0];
    const Parsed found =
        answer.ask("{\"inputs\": {\"question\": " + json::text(one.question) +
                   ", \"context\": " + json::text(one.context) + R"(}, "parameters": {"top_k": 1}})");
    EXPECT_EQ(static_cast<float>(found.number("/score")), static_cast<float>(expected.score));
    EXPECT_EQ(found.text("/answer").empty(), !expected.found);
  }
  answer.refused(R"({"inputs": {"question": "a", "context": "b"}, "parameters": {"top_k": 2}})", {"top_k"});
  const std::string whole = R"({"inputs": {"question": "a", "context": "b"}, "parameters": )";
  answer.refused(whole + R"({"handle_impossible_answer": false}})", {"handle_impossible_answer", "true"});
  answer.refused(whole + R"({"align_to_words": true}})", {"align_to_words"});
  answer.refused(whole + R"({"max_question_len": 64}})", {"max_question_len"});
  answer.ask(whole + R"({"handle_impossible_answer": true, "align_to_words": false}})");
  answer.refused(R"({"inputs": {"question": "a"}})", {"inputs.context"});
  answer.refused(R"({"inputs": "a"})", {"inputs"});
}

TEST(PipelineRoutes, TranslationAndSummarization) {
  Pipeline translate("translate");
  const Parsed found = translate.ask(R"({"inputs": "The dog chased the ball."})");
  EXPECT_EQ(found.text("/0/translation_text"), "y y y y y y y");
  EXPECT_EQ(found.text("/0/summary_text"), "y y y y y y y");
  const Parsed greedy = translate.ask(
      R"({"inputs": "The dog chased the ball.", "parameters": {"generate_parameters": {"num_beams": 1}}})");
  EXPECT_EQ(greedy.text("/0/translation_text"), "it it itvvvv");
  translate.refused(R"({"inputs": "a", "parameters": {"src_lang": "xx"}})", {"xx"});
  translate.refused(R"({"inputs": "a", "parameters": {"truncation": "yes"}})", {"yes", "only_first"});
  translate.refused(R"({"inputs": "a", "parameters": {"clean_up_tokenization_spaces": false}})",
                    {"clean_up_tokenization_spaces"});
}

TEST(PipelineRoutes, TextGeneration) {
  Pipeline write("write");
  const Writer writer(golden_model("write"));
  WriteOptions options = writer.defaults();
  options.max_tokens = 5;
  const std::string expected = readable(writer.write({std::string("the dog")}, options).at(0));
  const Parsed found =
      write.ask(R"({"inputs": "the dog", "parameters": {"max_new_tokens": 5}, "stream": false})");
  EXPECT_EQ(found.text("/0/generated_text"), expected);
  const Parsed whole = write.ask(
      R"({"inputs": "the dog", "parameters": {"max_new_tokens": 5, "return_full_text": true, "do_sample": false}})");
  EXPECT_EQ(whole.text("/0/generated_text"), "the dog" + expected);
  write.refused(R"({"inputs": "a", "stream": true})", {"stream"});
  write.refused(R"({"inputs": "a", "parameters": {"max_new_tokens": 0}})", {"max_new_tokens"});
}

TEST(PipelineRoutes, FeatureExtractionAndSentenceSimilarity) {
  Pipeline embed("embed");
  const Parsed vectors = embed.ask(R"({"inputs": "It sat.", "normalize": true})");
  EXPECT_EQ(vectors.count("/0"), 12U);
  const Parsed scores = embed.ask(
      R"({"inputs": {"source_sentence": "It sat.", "sentences": ["It sat.", "It ran."]}, "parameters": {}})");
  EXPECT_NEAR(scores.number("/0"), 1, 1e-6);
  embed.refused(R"({"inputs": {"source_sentence": "It sat."}})", {"sentences"});
  embed.refused(R"({})", {"inputs"});
}

}  // namespace
}  // namespace locus::serve
