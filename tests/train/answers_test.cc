#include "locus/train/answers.h"

#include <gtest/gtest.h>

#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

const ByteVocabulary kBytes({"<s>", "</s>"});
const Question kWhere = {
    .question = "who?", .context = "a fox ran", .answers = {{.text = "fox", .begin = 2, .end = 5}}};

TEST(Answers, ASampleIsTheQuestionAndTheContextWithTheEndsOfTheAnswer) {
  const Sample sample = question_sample(kWhere, kBytes, 2);
  EXPECT_EQ(kBytes.decode(sample.ids), "<s>who?</s>a fox ran");
  EXPECT_EQ(sample.targets, (std::vector<int32_t>{8, 10}));
  EXPECT_EQ(sample.segments, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(question_sample(kWhere, kBytes, 0).segments.empty());
  EXPECT_EQ(question_sample({.question = "q", .context = "c"}, kBytes, 0).targets,
            (std::vector<int32_t>{0, 0}));
}

TEST(Answers, AVocabularyThatLosesCharactersIsRefused) {
  const CharacterVocabulary few({"a", "q"}, {"<s>", "</s>", "<unk>"});
  expect_error(Fault::data, {"it does not give back 'abc'"},
               [&] { question_sample({.question = "q", .context = "abc"}, few, 0); });
}

TEST(Answers, TheBestAnswerEndsBehindItsStart) {
  const Sample sample = question_sample(kWhere, kBytes, 0);
  std::vector<float> logits(2 * sample.ids.size(), 0.f);
  const auto answer = [&] {
    return best_answer(Tensor::of({static_cast<int64_t>(sample.ids.size()), 2}, logits), sample, kBytes);
  };
  logits[2 * 8] = 5;        // starts at 'f'
  logits[2 * 10 + 1] = 4;   // ends at 'x'
  logits[2 * 6 + 1] = 4.5;  // before the start
  logits[2 * 1] = 9;        // in the question
  EXPECT_EQ(answer(), "fox");
  logits[0] = logits[1] = 6;  // <s> twice
  EXPECT_EQ(answer(), "");
}

TEST(Answers, CapitalsPunctuationAndArticlesDoNotCount) {
  const auto score = [](const char* said, std::vector<Answer> expected) {
    return score_answer(said, expected);
  };
  EXPECT_TRUE(score("The Fox!", {{.text = "a fox"}}).exact);
  EXPECT_EQ(score("The Fox!", {{.text = "a fox"}}).f1, 1);
  EXPECT_FALSE(score("red fox", {{.text = "fox"}}).exact);
  EXPECT_DOUBLE_EQ(score("red fox", {{.text = "fox"}}).f1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(score("fox fox", {{.text = "fox"}}).f1, 2.0 / 3) << "a word counts once";
  EXPECT_DOUBLE_EQ(score("dog", {{.text = "fox"}, {.text = "big dog"}}).f1, 2.0 / 3) << "the best of them";
  EXPECT_EQ(score("", {{.text = "fox"}}).f1, 0);
  EXPECT_TRUE(score("", {}).exact) << "there is no answer";
  EXPECT_FALSE(score("fox", {}).exact);
}

}  // namespace
}  // namespace locus
