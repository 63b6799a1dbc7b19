// Models whose numbers overflow for one text: that text is an error that names it, and the others have their
// results.
#include <gtest/gtest.h>

#include <algorithm>

#include "locus/apply/answerer.h"
#include "locus/apply/classifier.h"
#include "locus/apply/filler.h"
#include "locus/apply/similarity.h"
#include "locus/apply/tagger.h"
#include "locus/apply/zero_shot.h"
#include "tests/apply/overflowing.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

const std::vector<std::string> kTexts = {"The dog chased the ball.", "It ran!",
                                         "Ada Lovelace lives in London."};

// The texts that are reported, as "0 3 ".
ReadOptions reporting(std::string& found) {
  ReadOptions options;
  options.on_bad = [&found](size_t text, const Error& error) {
    EXPECT_EQ(error.fault(), Fault::data);
    found += std::to_string(text) + " ";
  };
  return options;
}

TEST(NotFinite, VectorsAreErrors) {
  const Overflowing folder("embed", kTexts);
  const Embedder embedder(folder.path());
  expect_error(Fault::data, {"text 2", "NaN"}, [&] { embedder.embed(kTexts); });
  std::string bad;
  const Tensor vectors = embedder.embed(kTexts, reporting(bad));
  EXPECT_EQ(bad, "1 ");
  const Tensor alone = Embedder(golden_model("embed")).embed(kTexts);
  for (const int64_t i : {0, 2}) {
    EXPECT_TRUE(std::ranges::equal(vectors.rows(i, i + 1).data<float>(), alone.rows(i, i + 1).data<float>()));
  }
  EXPECT_TRUE(std::ranges::all_of(vectors.rows(1, 2).data<float>(), [](float x) { return x == 0; }));
}

TEST(NotFinite, SimilaritiesAreErrorsAndTheSearchKeepsItsBestTexts) {
  const Overflowing folder("embed", kTexts);
  const Embedder embedder(folder.path());
  expect_error(Fault::data, {"pair 2"}, [&] {
    similarities(embedder, {{kTexts[0], kTexts[2]}, {kTexts[0], kTexts[1]}});
  });
  std::string bad;
  similarities(embedder, {{kTexts[1], kTexts[1]}, {kTexts[0], kTexts[2]}}, reporting(bad));
  EXPECT_EQ(bad, "0 ") << "a pair is reported once";
  Nearest strict(embedder, {kTexts[0]}, 2);
  expect_error(Fault::data, {"text 2"}, [&] { strict.add(kTexts); });
  Nearest nearest(embedder, {kTexts[0]}, 2);
  bad.clear();
  nearest.add(kTexts, reporting(bad));
  EXPECT_EQ(bad, "1 ");
  ASSERT_EQ(nearest.best()[0].size(), 2U);
  EXPECT_EQ(nearest.best()[0][0].number, 0);
  EXPECT_EQ(nearest.best()[0][1].number, 2);
  expect_error(Fault::data, {"query"}, [&] { Nearest(embedder, {kTexts[1]}, 2); });
}

TEST(NotFinite, ClassesAreErrors) {
  const Overflowing folder("classify", kTexts);
  for (const char* problem : {"single_label_classification", "multi_label_classification", "regression"}) {
    const std::string config = read_file(folder.path() / "config.json");
    const size_t place = config.find('{') + 1;
    put(folder.path() / "config.json",
        config.substr(0, place) + "\"problem_type\": \"" + problem + "\"," + config.substr(place));
    const Classifier classifier(folder.path());
    expect_error(Fault::data, {"text 2", "NaN"}, [&] { classifier.classify({{kTexts[0]}, {kTexts[1]}}); });
    std::string bad;
    EXPECT_TRUE(classifier.classify({{kTexts[1]}}, reporting(bad))[0].scores.empty());
    EXPECT_EQ(bad, "0 ");
    put(folder.path() / "config.json", config);
  }
}

TEST(NotFinite, ZeroShotClassesAreErrors) {
  const Overflowing folder("entail", kTexts);
  const Classifier classifier(folder.path());
  const ZeroShot zero_shot(classifier, {"dog", "ball"});
  expect_error(Fault::data, {"text 2"}, [&] { zero_shot.classify(kTexts); });
}

TEST(NotFinite, SpansAreErrors) {
  const Overflowing folder("tag", kTexts);
  const Tagger tagger(folder.path());
  expect_error(Fault::data, {"text 2", "NaN"}, [&] { tagger.tag(kTexts); });
}

// The head has the same weights as the embeddings, so every text has a logit that overflows.
TEST(NotFinite, FilledMasksAreErrors) {
  const std::vector<std::string> texts = {"The [MASK] sat.", "do[MASK]s ran"};
  const Overflowing folder("fill", texts);
  const Filler filler(folder.path());
  expect_error(Fault::data, {"text 1", "NaN"}, [&] { filler.fill(texts, 2); });
  std::string bad;
  const auto masks = filler.fill(texts, 2, reporting(bad));
  EXPECT_EQ(bad, "0 1 ");
  EXPECT_TRUE(masks[0].empty());
}

TEST(NotFinite, AnswersAreErrors) {
  const Overflowing folder("answer", kTexts);
  const Answerer answerer(folder.path());
  const std::vector<QuestionInput> questions = {{"who?", kTexts[0]}, {"who?", kTexts[1]}};
  expect_error(Fault::data, {"text 2", "NaN"}, [&] { answerer.answer(questions); });
  std::string bad;
  const std::vector<FoundAnswer> found = answerer.answer(questions, {}, reporting(bad));
  EXPECT_EQ(bad, "1 ");
  EXPECT_GT(found[0].score, 0);
  EXPECT_EQ(found[1].score, 0);
}

}  // namespace
}  // namespace locus
