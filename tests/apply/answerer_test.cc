#include "locus/apply/answerer.h"

#include <gtest/gtest.h>

#include "tests/apply/expected.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

TEST(Answerer, SpansOfWindowsAndNoAnswer) {
  const Expected expected("answer");
  const Answerer answerer(golden_model("answer"));
  int windows = 0, silent = 0;
  for (const Expected::Value value : expected.cases()) {
    const std::vector<QuestionInput> questions = {{text_of(value, "question"), text_of(value, "context")}};
    const AnswerOptions options = {.window = count_of(value, "window"), .overlap = count_of(value, "stride")};
    const FoundAnswer found = answerer.answer(questions, options)[0];
    EXPECT_EQ(found.found, has(value, "answer")) << questions[0].question;
    EXPECT_NEAR(found.score, number_of(value, "score"), kNear) << questions[0].question;
    windows += count_of(value, "windows") > 1 ? 1 : 0;
    silent += found.found ? 0 : 1;
    if (!found.found) continue;
    EXPECT_EQ(questions[0].context.substr(found.bytes.begin, found.bytes.end - found.bytes.begin),
              text_of(value, "answer"));
  }
  EXPECT_GE(windows, 3);
  EXPECT_GE(silent, 2);
}

TEST(Answerer, QuestionsDoNotDependOnEachOther) {
  const Answerer answerer(golden_model("answer"));
  std::vector<QuestionInput> questions;
  const Expected expected("answer");
  for (const Expected::Value value : expected.cases()) {
    questions.push_back({text_of(value, "question"), text_of(value, "context")});
  }
  const AnswerOptions options = {.window = 20, .overlap = 6};
  const std::vector<FoundAnswer> all = answerer.answer(questions, options);
  for (size_t i = 0; i < questions.size(); ++i) {
    const FoundAnswer alone =
        answerer.answer(std::span(questions).subspan(i, 1), options, {.batch_tokens = 1})[0];
    EXPECT_EQ(alone.score, all[i].score);
    EXPECT_EQ(alone.bytes, all[i].bytes);
  }
}

TEST(Answerer, AnAnswerHasAtMostTheAllowedLength) {
  const Answerer answerer(golden_model("answer"));
  const std::vector<QuestionInput> questions = {
      {"who ran?", "Ada lives in London. The dog chased the ball, and the cat sat."}};
  const FoundAnswer found = answerer.answer(questions, {.longest = 1})[0];
  ASSERT_TRUE(found.found);
  EXPECT_EQ(questions[0].context.find(' ', found.bytes.begin) < found.bytes.end, false);
}

TEST(AnswererFaults, AQuestionWithoutRoomForItsContext) {
  const std::vector<QuestionInput> questions = {{std::string(40, '?'), "the dog"}};
  expect_error(Fault::data, {"text 1", "43", "40"},
               [&] { Answerer(golden_model("answer")).answer(questions); });
}

TEST(AnswererFaults, OptionsAndHeads) {
  expect_error(Fault::data, {"window is 0", "overlap 128", "longest 15"},
               [] { Answerer(golden_model("answer")).answer({}, {.window = 0}); });
  expect_error(Fault::data, Code::wrong_head, {golden_model("tag").c_str(), "token_class", "answer"},
               [] { Answerer answerer(golden_model("tag")); });
}

}  // namespace
}  // namespace locus
