#include "locus/apply/similarity.h"

#include <gtest/gtest.h>

#include "locus/apply/cosine.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(Similarity, Cosine) {
  const std::vector<float> a = {3, 4}, b = {4, 3}, c = {-6, -8}, none = {0, 0};
  EXPECT_DOUBLE_EQ(cosine(a, a), 1);
  EXPECT_DOUBLE_EQ(cosine(a, b), 0.96);
  EXPECT_DOUBLE_EQ(cosine(a, c), -1);
  EXPECT_EQ(cosine(a, none), 0);
}

TEST(Similarity, PairsAreCosinesOfEmbeddings) {
  const Expected expected("embed");
  const Embedder embedder(golden_model("embed"));
  std::vector<std::vector<float>> vectors;
  for (const Expected::Value value : expected.cases()) vectors.push_back(numbers_of(value, "mean"));
  const std::vector<std::string> texts = texts_of(expected);
  const std::vector<TextInput> pairs = {{texts[0], texts[1]}, {texts[4], texts[2]}, {texts[0], texts[0]}};
  const std::vector<double> scores = similarities(embedder, pairs);
  EXPECT_NEAR(scores[0], cosine(vectors[0], vectors[1]), kNear);
  EXPECT_NEAR(scores[1], cosine(vectors[4], vectors[2]), kNear);
  EXPECT_NEAR(scores[2], 1, 1e-12);
}

TEST(Similarity, TheNearestTextsDoNotDependOnTheChunks) {
  const Embedder embedder(golden_model("embed"));
  const std::vector<std::string> texts = texts_of(Expected("embed"));
  const std::vector<std::string> queries = {texts[2], texts[0]};
  Nearest whole(embedder, queries, 3);
  whole.add(texts);
  const std::vector<std::vector<Nearest::Match>> best = whole.best();
  ASSERT_EQ(best.size(), 2u);
  ASSERT_EQ(best[0].size(), 3u);
  EXPECT_EQ(best[0][0].number, 2);
  EXPECT_EQ(best[0][0].text, texts[2]);
  EXPECT_GE(best[0][1].score, best[0][2].score);
  EXPECT_EQ(best[1][0].number, 0);
  Nearest pieces(embedder, {texts[2]}, 3);
  for (const std::string& text : texts) pieces.add({text});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pieces.best()[0][i].number, best[0][i].number);
    EXPECT_EQ(pieces.best()[0][i].score, best[0][i].score);
    EXPECT_EQ(pieces.best()[0][i].text, best[0][i].text);
  }
}

TEST(Similarity, QueriesAndDocumentsHaveThePromptsOfTheFolder) {
  const Expected expected("embed_last");
  const Embedder embedder(golden_model("embed_last"));
  const std::vector<std::string> texts = texts_of(expected);
  std::vector<std::vector<float>> queries, documents;
  for (const Expected::Value value : expected.cases()) {
    queries.push_back(numbers_of(value, "query"));
    documents.push_back(numbers_of(value, "document"));
  }
  Nearest nearest(embedder, {texts[0]}, texts.size());
  nearest.add(texts);
  const std::vector<std::vector<Nearest::Match>> best = nearest.best();
  for (const Nearest::Match& match : best[0]) {
    EXPECT_NEAR(match.score, cosine(queries[0], documents[static_cast<size_t>(match.number)]), kNear);
  }
  const std::vector<TextInput> pair = {{texts[0], texts[1]}};
  EXPECT_NEAR(similarities(embedder, pair, {}, "query")[0], cosine(queries[0], queries[1]), kNear);
}

// As in sentence-transformers: the default prompt is for texts without a purpose.
TEST(Similarity, DocumentsHaveNoDefaultPrompt) {
  const CopyOf folder("embed");
  const std::vector<std::string> texts = {"the dog"}, asked = {"who is the dog"};
  const Embedder plain(golden_model("embed"));
  const std::vector<float> query = plain.embed(asked).values(), document = plain.embed(texts).values();
  put(folder / "config_sentence_transformers.json",
      R"({"prompts": {"query": "who is ", "passage": "in "}, "default_prompt_name": "query"})");
  const Embedder embedder(folder.path());
  Nearest nearest(embedder, texts, 1);
  nearest.add(texts);
  EXPECT_NEAR(nearest.best()[0][0].score, cosine(query, document), kNear);
}

TEST(Similarity, TheEarlierOfEqualTextsIsBetter) {
  const Embedder embedder(golden_model("embed"));
  Nearest nearest(embedder, {"dog"}, 2);
  nearest.add({"cat", "dog"});
  nearest.add({"dog", "dog"});
  const std::vector<Nearest::Match> best = nearest.best()[0];
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].number, 1);
  EXPECT_EQ(best[1].number, 2);
}

TEST(SimilarityFaults, NameThePairOrTheText) {
  const Embedder embedder(golden_model("embed"));
  const std::string endless(100, '.');
  const std::vector<TextInput> alone = {{"a", "b"}, {"c"}}, long_pair = {{"a", "b"}, {"c", endless}};
  expect_error(Fault::data, {"pair 2"}, [&] { similarities(embedder, alone); });
  expect_error(Fault::data, Code::context_too_long, {"pair 2", "102", "40"},
               [&] { similarities(embedder, long_pair); });
  expect_error(Fault::data, Code::context_too_long, {"query", "102"},
               [&] { Nearest(embedder, {endless}, 1); });
  expect_error(Fault::data, Code::context_too_long, {"query 2", "102"}, [&] {
    Nearest(embedder, {"a", endless}, 1);
  });
  Nearest nearest(embedder, {"a"}, 1);
  nearest.add({"b"});
  expect_error(Fault::data, Code::context_too_long, {"text 3", "102"}, [&] { nearest.add({"b", endless}); });
}

}  // namespace
}  // namespace locus
