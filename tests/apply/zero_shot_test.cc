#include "locus/apply/zero_shot.h"

#include <gtest/gtest.h>

#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/program.h"

namespace locus {
namespace {

constexpr const char* kHypothesis = "it is {} .";

void expect_chosen(const std::vector<std::string>& labels, const char* kind) {
  const Expected expected("entail");
  const Classifier classifier(golden_model("entail"));
  const ZeroShot zero_shot(classifier, labels, kHypothesis);
  std::vector<std::string> texts;
  for (const Expected::Value value : expected.cases()) {
    if (has(value, kind)) texts.push_back(text_of(value, "text"));
  }
  ASSERT_GT(texts.size(), 3u);
  const std::vector<Classification> found = zero_shot.classify(texts);
  size_t i = 0;
  for (const Expected::Value value : expected.cases()) {
    if (!has(value, kind)) continue;
    const Classification& one = found[i++];
    ASSERT_EQ(one.scores.size(), labels.size());
    for (size_t label = 0; label < labels.size(); ++label) {
      EXPECT_NEAR(one.scores[label], number_of(value[kind].value(), labels[label].c_str()), kNear)
          << text_of(value, "text");
      EXPECT_LE(one.scores[label], one.scores[one.best]);
    }
  }
}

TEST(ZeroShot, ChoosesLikeTransformers) {
  expect_chosen({"dog", "big ball", "who"}, "chosen");
  expect_chosen({"dog"}, "alone");
}

TEST(ZeroShot, NeedsAModelForNaturalLanguageInference) {
  const Classifier classifier(golden_model("classify"));
  expect_error(Fault::data, Code::wrong_head,
               {golden_model("classify").c_str(), "bad, fair, good", "entailment"},
               [&] { ZeroShot(classifier, {"a"}); });
  const Classifier entails(golden_model("entail"));
  expect_error(Fault::usage, {"'it is so'", "{}"}, [&] { ZeroShot(entails, {"a"}, "it is so"); });
}

TEST(ZeroShot, ReportsAnInvalidTextOnceByItsNumber) {
  const Classifier classifier(golden_model("entail"));
  const ZeroShot zero_shot(classifier, {"dog", "who"}, kHypothesis);
  std::string longer;
  for (int i = 0; i < 400; ++i) longer += "it ";
  const std::vector<std::string> texts = {"it ran", longer, "who"};
  expect_error(Fault::data, Code::context_too_long, {"text 2"}, [&] { zero_shot.classify(texts); });
  std::vector<size_t> bad;
  const auto found =
      zero_shot.classify(texts, {.on_bad = [&](size_t text, const Error&) { bad.push_back(text); }});
  EXPECT_EQ(bad, std::vector<size_t>{1});
  EXPECT_TRUE(found[1].scores.empty());
  EXPECT_EQ(found[2].scores, zero_shot.classify(std::vector<std::string>{"who"})[0].scores);
}

TEST(ZeroShot, IsAnOptionOfClassify) {
  const std::string folder = golden_model("entail").string();
  const Outcome outcome =
      run_program("classify " + folder + " 'it ran' --label dog --label who --claim 'it is {} .'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.find("\tdog\t") == 6 || outcome.out.find("\twho\t") == 6) << outcome.out;
  EXPECT_EQ(run_program("classify " + folder + " a b --pairs --label dog").exit_code, 2);
}

}  // namespace
}  // namespace locus
