// Routes of classifiers, rerankers, taggers, fillers and answerers.
#include <gtest/gtest.h>

#include "locus/apply/result_json.h"
#include "locus/apply/zero_shot.h"
#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"
#include "tests/serve/reranker.h"

namespace locus::serve {
namespace {

struct Served {
  explicit Served(const std::filesystem::path& folder) : service({.folder = folder}) {
    service.wait_until_ready();
  }
  Service service;
};

TEST(ClassRoutes, ClassifyAnswersTheObjectOfTheCommand) {
  Served classify(golden_model("classify"));
  const Classifier classifier(golden_model("classify"));
  const std::vector<TextInput> inputs = {{"It sat."}, {"The dog", "ran."}};
  const std::vector<Classification> found = classifier.classify(inputs);
  const std::string first = classified_json(inputs[0], found[0], classifier.labels());
  const std::string second = classified_json(inputs[1], found[1], classifier.labels());
  EXPECT_EQ(ask(classify.service, "/classify", R"({"text": "It sat."})").body, first);
  const std::string list = R"([{"text": "It sat."}, {"text": "The dog", "text_pair": "ran."}])";
  EXPECT_EQ(ask(classify.service, "/classify", list).body, "[" + first + ", " + second + "]");
  EXPECT_EQ(ask(classify.service, "/classify", "{\"truncate\": true, \"inputs\": " + list + "}").body,
            "[" + first + ", " + second + "]");
}

TEST(ClassRoutes, PredictListsClassesBestFirst) {
  Served classify(golden_model("classify"));
  const Parsed one(ask(classify.service, "/predict", R"({"inputs": "The dog chased the ball."})").body);
  EXPECT_EQ(one.text("/0/label"), "bad");
  EXPECT_NEAR(one.number("/0/score"), 0.56813, 1e-4);
  EXPECT_GT(one.number("/1/score"), one.number("/2/score"));
  const Parsed pair(ask(classify.service, "/predict", R"({"inputs": ["It sat.", "It ran."]})").body);
  const Parsed batch(
      ask(classify.service, "/predict", R"({"inputs": [["It sat.", "It ran."], ["It sat."]]})").body);
  EXPECT_EQ(pair.number("/0/score"), batch.number("/0/0/score"));
  EXPECT_EQ(batch.count("/1"), 3U);
  const Parsed raw(ask(classify.service, "/predict", R"({"inputs": "It sat.", "raw_scores": true})").body);
  EXPECT_EQ(raw.text("/0/label"), batch.text("/1/0/label"));
  EXPECT_NE(raw.number("/0/score"), batch.number("/1/0/score"));
}

TEST(ClassRoutes, ClassifyIsZeroShotWithLabels) {
  Served entail(golden_model("entail"));
  const Classifier classifier(golden_model("entail"));
  const std::vector<std::string> labels = {"who", "dog"}, texts = {"The dog ran."};
  const ZeroShot zero_shot(classifier, labels);
  EXPECT_EQ(ask(entail.service, "/classify", R"({"text": "The dog ran.", "label": ["who", "dog"]})").body,
            classified_json({texts[0]}, zero_shot.classify(texts)[0], labels));
  expect_refused(entail.service, "/classify", R"({"text": "a", "label": ["b", "b"]})", 400, {"label"});
  expect_refused(entail.service, "/classify", R"({"text": "a", "label": "b", "claim": "c"})", 400, {"{}"});
}

TEST(ClassRoutes, RerankSortsByRelevance) {
  const Reranker folder;
  Served rerank(folder.path());
  const std::vector<TextInput> pairs = {{"dog", "It sat."}, {"dog", "The dog ran."}, {"dog", "London"}};
  const Classifier classifier(folder.path());
  const std::vector<Classification> found = classifier.classify(pairs);
  const std::vector<std::vector<float>> logits = classifier.logits(pairs);
  const std::string texts = R"(["It sat.", "The dog ran.", "London"])";
  const Parsed tei(ask(rerank.service, "/rerank",
                       R"({"query": "dog", "raw_scores": true, "return_text": true, "texts": )" + texts + "}")
                       .body);
  const Parsed cohere(
      ask(rerank.service, "/v1/rerank",
          R"({"query": "dog", "top_n": 2, "return_documents": true, "documents": )" + texts + "}")
          .body);
  EXPECT_EQ(cohere.count("/results"), 2U);
  double last = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::string place = "/" + std::to_string(i);
    const auto index = static_cast<size_t>(tei.number(place + "/index"));
    EXPECT_EQ(static_cast<float>(tei.number(place + "/score")), logits[index][0]);
    EXPECT_EQ(tei.text(place + "/text"), *pairs[index].second);
    EXPECT_LE(tei.number(place + "/score"), last);
    last = tei.number(place + "/score");
    if (i == 2) continue;
    EXPECT_EQ(cohere.number("/results" + place + "/index"), static_cast<double>(index));
    EXPECT_NEAR(cohere.number("/results" + place + "/relevance_score"), found[index].scores[0], 1e-7);
    EXPECT_EQ(cohere.text("/results" + place + "/document/text"), *pairs[index].second);
  }
  const Parsed jina(
      ask(rerank.service, "/rerank", R"({"query": "dog", "documents": [{"text": "It sat."}, "London"]})")
          .body);
  EXPECT_EQ(jina.count("/results"), 2U);
  expect_refused(rerank.service, "/rerank", R"({"query": "a", "texts": []})", 400, {"texts"});
  expect_refused(rerank.service, "/rerank", R"({"query": "a", "texts": [1]})", 400, {"texts"});
  expect_refused(rerank.service, "/rerank", R"({"texts": ["a"]})", 400, {"query"});
  expect_refused(rerank.service, "/v1/rerank", R"({"query": "a", "documents": [{"txt": "a"}]})", 400,
                 {"documents"});
  expect_refused(rerank.service, "/v1/rerank", R"({"query": "a", "documents": ["a"], "top_n": 0})", 400,
                 {"top_n"});
}

TEST(ClassRoutes, TagFillAndAnswerAnswerTheObjectsOfTheCommands) {
  Served tag(golden_model("tag")), fill(golden_model("fill")), answer(golden_model("answer"));
  const std::vector<std::string> tagged = {"Ada \u00e9 Lovelace lives in London."};
  const Tagger tagger(golden_model("tag"));
  EXPECT_EQ(ask(tag.service, "/tag", "{\"text\": " + json::text(tagged[0]) + R"(, "offsets": "bytes"})").body,
            tagged_json(tagged[0], tagger.tag(tagged)[0], {"bytes"}));
  const std::vector<std::string> masked = {"The [MASK] sat."};
  const Filler filler(golden_model("fill"));
  EXPECT_EQ(ask(fill.service, "/fill", R"({"text": "The [MASK] sat.", "top": 2})").body,
            filled_json(masked[0], filler.fill(masked, 2)[0]));
  const std::vector<QuestionInput> asked = {{"who?", "the dog ran."}};
  const Answerer answerer(golden_model("answer"));
  EXPECT_EQ(ask(answer.service, "/answer",
                R"({"question": "who?", "context": "the dog ran.", "window": 40, "overlap": 8})")
                .body,
            answered_json(asked[0], answerer.answer(asked, {.window = 40, .overlap = 8})[0], {}));
}

TEST(ClassRoutes, RefuseBadInput) {
  Served classify(golden_model("classify")), tag(golden_model("tag")), fill(golden_model("fill")),
      answer(golden_model("answer"));
  expect_refused(classify.service, "/classify", "[]", 400, {"empty"});
  expect_refused(classify.service, "/classify", "3", 400, {"request body"});
  expect_refused(classify.service, "/classify", "[3]", 400, {"inputs[0]"});
  expect_refused(classify.service, "/classify", "{}", 400, {"'text' is missing"});
  expect_refused(classify.service, "/classify", R"([{"text": "a"}, {"text": "a", "txt": "b"}])", 400,
                 {"inputs[1].txt", "text"});
  expect_refused(classify.service, "/classify", R"({"text": "a", "label": ["b", "c"]})", 404, {"zero-shot"});
  expect_refused(classify.service, "/predict", R"({"inputs": []})", 400, {"inputs"});
  expect_refused(classify.service, "/predict", R"({"inputs": ["a", "b", "c"]})", 400, {"pair"});
  expect_refused(classify.service, "/predict", R"({"inputs": [["a"], "b"]})", 400, {"inputs"});
  expect_refused(classify.service, "/rerank", R"({"query": "a", "texts": ["b"]})", 404, {"/classify"});
  expect_refused(tag.service, "/tag", R"({"text": "a", "offsets": "words"})", 400, {"words", "bytes"});
  expect_refused(fill.service, "/fill", R"({"text": "a"})", 400, {"[MASK]"});
  expect_refused(fill.service, "/fill", R"({"text": "[MASK]", "top": 0})", 400, {"top"});
  expect_refused(answer.service, "/answer", R"({"question": "a"})", 400, {"context"});
  expect_refused(answer.service, "/answer", R"({"question": "a", "context": "b", "window": 0})", 400,
                 {"window"});
}

TEST(ClassRoutes, TokenizeAndDetokenize) {
  Served tag(golden_model("tag"));
  const Parsed tokens(ask(tag.service, "/tokenize", R"({"inputs": "the dog"})").body);
  EXPECT_EQ(tokens.at("/0/0/special").get_bool().value(), true);
  EXPECT_TRUE(tokens.at("/0/0/start").is_null());
  EXPECT_EQ(tokens.number("/0/1/start"), 0);
  const Parsed plain(
      ask(tag.service, "/tokenize", R"({"inputs": ["the dog"], "add_special_tokens": false})").body);
  EXPECT_EQ(plain.count("/0") + 2, tokens.count("/0"));
  std::string ids;
  for (size_t i = 0; i < tokens.count("/0"); ++i) {
    ids += (i > 0 ? ", " : "") +
           std::to_string(static_cast<int>(tokens.number("/0/" + std::to_string(i) + "/id")));
  }
  for (const char* path : {"/detokenize", "/decode"}) {
    EXPECT_EQ(Parsed(ask(tag.service, path, "{\"ids\": [" + ids + "]}").body).text("/0"), "the dog");
  }
  const std::string all =
      ask(tag.service, "/decode", "{\"ids\": [[" + ids + R"(]], "skip_special_tokens": false})").body;
  EXPECT_NE(all.find("[CLS]"), std::string::npos) << all;
  expect_refused(tag.service, "/decode", R"({"ids": [100000]})", 400, {"100000"});
  expect_refused(tag.service, "/decode", R"({"ids": "a"})", 400, {"ids"});
  expect_refused(tag.service, "/tokenize", R"({"inputs": 1})", 400, {"inputs"});
}

}  // namespace
}  // namespace locus::serve
