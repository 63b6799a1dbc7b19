#include "locus/train/answers.h"

#include <gtest/gtest.h>

#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

TextTask task_with(std::shared_ptr<const Tokenizer> tokenizer, int64_t segments = 0, bool from_hub = false) {
  TextTask task{.tokenizer = std::move(tokenizer)};
  if (from_hub) task.data.framing = Framing::tokenizer;
  task.blueprint.kind = ModelKind::encoder;
  task.blueprint.head.kind = HeadKind::answer;
  task.blueprint.embedding.segments = segments;
  return task;
}

const auto kBytes = std::make_shared<ByteVocabulary>(std::vector<std::string>{"<s>", "</s>"});
const Question kWhere = {
    .question = "who?", .context = "a fox ran", .answers = {{.text = "fox", .begin = 2, .end = 5}}};

TEST(Answers, ASampleIsTheQuestionAndTheContextWithTheEndsOfTheAnswer) {
  const Sample sample = question_sample(kWhere, task_with(kBytes, 2));
  EXPECT_EQ(kBytes->decode(sample.ids), "<s>who?</s>a fox ran");
  EXPECT_EQ(sample.targets, (std::vector<int32_t>{8, 10}));
  EXPECT_EQ(sample.segments, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(question_sample(kWhere, task_with(kBytes)).segments.empty());
  EXPECT_EQ(question_sample({.question = "q", .context = "c"}, task_with(kBytes)).targets,
            (std::vector<int32_t>{0, 0}));
}

TEST(Answers, AnEmptyQuestionAndContextIsAnError) {
  expect_error(Fault::data, {"question", "context"}, [] { question_sample({}, task_with(kBytes, 0, true)); });
}

TEST(Answers, UnknownCharactersKeepTheirOffsets) {
  const auto few = std::make_shared<CharacterVocabulary>(std::vector<std::string>{"a", "q"},
                                                         std::vector<std::string>{"<s>", "</s>", "<unk>"});
  const Question question = {
      .question = "q", .context = "b\u00e9ca", .answers = {{.text = "ca", .begin = 3, .end = 5}}};
  EXPECT_EQ(question_sample(question, task_with(few)).targets, (std::vector<int32_t>{5, 6}));
}

// Byte-level BPE tokens include the space before a word. The frame is that of RoBERTa: <s> A </s></s> B </s>.
TEST(Answers, TargetsAreTheTokensThatOverlapTheAnswer) {
  const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(golden_text("roberta"));
  const TextTask task = task_with(tokenizer, 1, true);
  Question question = {.question = "who?", .context = "The dog, gr\u00f6\u00dfer \u72d7, chased it."};
  for (const std::string text :
       {"dog", "og, gr", "\u00f6", "\u72d7", "it.", "The dog, gr\u00f6\u00dfer \u72d7, chased it."}) {
    const size_t begin = question.context.find(text);
    question.answers = {{.text = text, .begin = begin, .end = begin + text.size()}};
    const Sample sample = question_sample(question, task);
    EXPECT_TRUE(sample.segments.empty());
    const Encoding encoding = read_question(question, task);
    const auto first = static_cast<size_t>(sample.targets[0]), last = static_cast<size_t>(sample.targets[1]);
    ASSERT_LE(first, last);
    EXPECT_EQ(encoding.texts[first], 1);
    EXPECT_EQ(encoding.texts[last], 1);
    // The tokens from first to last are exactly those that overlap the answer.
    EXPECT_LE(encoding.offsets[first].begin, begin) << text;
    EXPECT_GE(encoding.offsets[last].end, begin + text.size()) << text;
    EXPECT_GT(encoding.offsets[first].end, begin) << text;
    EXPECT_LT(encoding.offsets[last].begin, begin + text.size()) << text;
  }
}

TEST(Answers, TheBestAnswerEndsAfterItsStart) {
  const Encoding encoding = read_question(kWhere, task_with(kBytes));
  std::vector<float> logits(2 * encoding.size(), 0.f);
  const auto answer = [&] {
    return best_answer(Tensor::of({static_cast<int64_t>(encoding.size()), 2}, logits), encoding);
  };
  logits[2 * 8] = 5;        // starts at 'f'
  logits[2 * 10 + 1] = 4;   // ends at 'x'
  logits[2 * 6 + 1] = 4.5;  // before the start
  logits[2 * 1] = 9;        // in the question
  EXPECT_EQ(answer(), (TextSpan{2, 5}));
  logits[0] = logits[1] = 6;  // start and end at <s>: no answer
  EXPECT_EQ(answer(), std::nullopt);
}

TEST(Answers, CasePunctuationAndArticlesAreIgnored) {
  const auto score = [](const char* answer, std::vector<Answer> expected) {
    return score_answer(answer, expected);
  };
  EXPECT_TRUE(score("The Fox!", {{.text = "a fox"}}).exact);
  EXPECT_EQ(score("The Fox!", {{.text = "a fox"}}).f1, 1);
  EXPECT_TRUE(score("Élan", {{.text = "élan"}}).exact);
  EXPECT_TRUE(score("dog\u00a0house", {{.text = "dog house"}}).exact) << "a blank that keeps words together";
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
