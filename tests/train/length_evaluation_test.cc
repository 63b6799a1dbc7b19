// The losses of transformers at several lengths: tools/golden/lengths.py.
#include "locus/train/length_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "locus/run/task_frame.h"
#include "locus/text/token_file.h"
#include "locus/train/evaluated_text.h"
#include "locus/train/evaluation.h"
#include "tests/apply/expected.h"
#include "tests/expect_error.h"
#include "tests/other_device.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using testing::expect_same;
using testing::other_device;

const fs::path kGolden = fs::path(LOCUS_GOLDEN) / "lengths";
const fs::path kText = kGolden / "text.txt";
constexpr double kTolerance = 2e-5;  // f32 logits

class GoldenLengths : public ::testing::TestWithParam<const char*> {
 protected:
  GoldenLengths() { EXPECT_EQ(parser_.load((kGolden / "expected.json").string()).get(root_), 0); }
  simdjson::dom::array cases() const { return root_[GetParam()].get_array().value(); }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

TEST_P(GoldenLengths, AreThoseOfTransformers) {
  const TrainedModel trained(golden_model(GetParam()));
  for (const Expected::Value expected : cases()) {
    const int64_t length = count_of(expected, "length"), stride = count_of(expected, "stride");
    const LengthEvaluation found = evaluate_lengths(trained, kText, {.lengths = {length}, .stride = stride});
    ASSERT_EQ(found.lengths.size(), 1u);
    const LengthScore& score = found.lengths.front();
    EXPECT_EQ(score.problem, "");
    EXPECT_EQ(score.windows, count_of(expected, "windows"));
    EXPECT_EQ(score.targets, count_of(expected, "targets"));
    EXPECT_NEAR(score.loss, number_of(expected, "loss"), kTolerance) << length;
    EXPECT_NEAR(score.late_loss.value(), number_of(expected, "late_loss"), kTolerance) << length;
    EXPECT_NEAR(score.bits_per_byte.value(), number_of(expected, "bits_per_byte"), kTolerance) << length;
    const simdjson::dom::object positions = expected["positions"].get_object().value();
    ASSERT_EQ(found.positions.size(), positions.size());
    for (const PositionLoss& one : found.positions) {
      EXPECT_NEAR(one.loss, positions[std::to_string(one.most)].get_double().value(), kTolerance) << one.most;
    }
  }
}

// In memory that the host cannot read: the same losses.
TEST_P(GoldenLengths, AreTheSameOnADevice) {
  const TrainedModel cpu(golden_model(GetParam())),
      other(golden_model(GetParam()), {.device = other_device()});
  const LengthOptions options = {.lengths = {8, 16}, .stride = 4};
  const LengthEvaluation got = evaluate_lengths(other, kText, options),
                         wanted = evaluate_lengths(cpu, kText, options);
  ASSERT_EQ(got.lengths.size(), wanted.lengths.size());
  for (size_t i = 0; i < wanted.lengths.size(); ++i) {
    expect_same(got.lengths[i].loss, wanted.lengths[i].loss);
  }
}

INSTANTIATE_TEST_SUITE_P(, GoldenLengths, ::testing::Values("write", "embed_last"),
                         [](const auto& model) { return std::string(model.param); });

TEST(LengthEvaluation, LengthsAreSortedAndThoseThatCannotBeReadHaveAProblem) {
  const TrainedModel trained(golden_model("write"));
  const LengthEvaluation found = evaluate_lengths(trained, kText, {.lengths = {4000, 16, 49, 8, 16}});
  ASSERT_EQ(found.lengths.size(), 4u);
  EXPECT_EQ(found.lengths[0].length, 8);
  EXPECT_EQ(found.lengths[1].length, 16);
  expect_named(found.lengths[2].problem, {"learned", "48"});
  expect_named(found.lengths[3].problem, {"learned", "48"});
  EXPECT_EQ(found.longest(), 16);
  EXPECT_EQ(found.positions.back().most, 16) << "at the longest length";
  // Rotary has no table that ends, but the text does.
  const LengthEvaluation rotary =
      evaluate_lengths(TrainedModel(golden_model("embed_last")), kText, {.lengths = {290, 291, 292}});
  EXPECT_EQ(rotary.lengths[1].windows, 1);
  expect_named(rotary.lengths[2].problem, {"text.txt", "292", "293"});
}

TEST(LengthEvaluation, WithoutLengthsTheLongestThatModelAndTextAllow) {
  const TrainedModel trained(golden_model("write"));
  EXPECT_EQ(evaluate_lengths(trained, kText, {}).longest(), 48);
  const TemporaryFolder folder(in_memory());
  put(folder / "short.txt", "the dog sat by");
  const LengthEvaluation found = evaluate_lengths(trained, folder / "short.txt", {});
  EXPECT_EQ(found.longest(), found.tokens - 1);
  EXPECT_EQ(found.lengths.front().windows, 1);
}

TEST(LengthEvaluation, MasksAreTheSameAtEveryLengthAndTheFrameIsThatOfFill) {
  const TrainedModel trained(golden_model("fill"));
  const WindowFrame frame = window_frame_of(trained.task());
  EXPECT_EQ(frame.before, std::vector<int32_t>{2}) << "[CLS]";
  EXPECT_EQ(frame.after, std::vector<int32_t>{3}) << "[SEP]";
  const LengthEvaluation found = evaluate_lengths(trained, kText, {.lengths = {3, 10, 40}});
  for (const LengthScore& score : found.lengths) {
    EXPECT_EQ(score.targets, found.lengths.front().targets);
    EXPECT_FALSE(score.bits_per_byte);
  }
  EXPECT_GT(found.lengths.front().targets, found.tokens / 10);
  EXPECT_LT(found.lengths.front().targets, found.tokens / 4);
  EXPECT_EQ(found.lengths.front().windows, found.tokens) << "one token and two special ones";
  expect_error(Fault::data, {"2"}, [&] { evaluate_lengths(trained, kText, {.lengths = {1, 2}}); });
}

TEST(LengthEvaluation, ATokenFileHasTheNumbersOfItsText) {
  const TrainedModel trained(golden_model("write"));
  const LengthEvaluation text = evaluate_lengths(trained, kText, {.lengths = {16}});
  const TemporaryFolder folder(in_memory());
  const fs::path file = folder / "text.tokens";
  TokenFileWriter writer(file, trained.task().tokenizer->size());
  writer.write(trained.task().tokenizer->encode(read_file(kText)));
  writer.commit();
  const LengthEvaluation tokens = evaluate_lengths(trained, file, {.lengths = {16}});
  EXPECT_EQ(tokens.bytes, text.bytes);
  EXPECT_EQ(tokens.lengths.front().loss, text.lengths.front().loss);
  EXPECT_EQ(tokens.lengths.front().bits_per_byte, text.lengths.front().bits_per_byte);
}

TEST(LengthEvaluation, OtherHeadsAndTextsWithoutTargetsAreErrors) {
  const TemporaryFolder folder(in_memory());
  put(folder / "empty.txt", "");
  for (const char* job : {"classify", "translate", "embed"}) {
    const fs::path place = golden_model(job);
    expect_error(Fault::usage, Code::wrong_head, {place.c_str()},
                 [&] { evaluate_lengths(TrainedModel(place), kText, {.lengths = {8}}); });
  }
  expect_error(Fault::data, {"empty.txt", "0 tokens", "2"},
               [&] { evaluate_lengths(TrainedModel(golden_model("write")), folder / "empty.txt", {}); });
}

double number(const Evaluation& evaluation, const std::string& name) {
  for (const auto& [each, value] : evaluation.numbers) {
    if (each == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(LengthEvaluation, NumbersThatAreNotFiniteAreErrors) {
  TrainedModel trained(golden_model("write"));
  std::ranges::fill(trained.model().parameters().at("tokens").value().data<float>(), 3e38f);
  const std::initializer_list<const char*> values = {kText.c_str(), "target 1", "sample 1"};
  expect_error(Fault::data, values, [&] { evaluate(trained, kText); });
  expect_error(Fault::data, values, [&] { evaluate_lengths(trained, kText, {.lengths = {8}}); });
}

TEST(EvaluationOfFolders, ReadsTheirLabeledFiles) {
  const TemporaryFolder folder(in_memory());
  const fs::path place = golden_model("classify"), file = folder / "x.tsv";
  put(file, "the dog sat .\tgood\nit ran !\tbad\n");
  const TrainedModel trained(place);
  EXPECT_EQ(evaluate(trained, file).targets, 2);
  put(file, "the dog sat .\tgreat\n");
  expect_error(Fault::data, {"x.tsv", "'great'", "3"}, [&] { evaluate(trained, file); });
  put(file, "the dog\tbad\n" + std::string(60, '.') + "\tgood\n");
  expect_error(Fault::data, Code::context_too_long, {"x.tsv", "line 2", "62", "40"},
               [&] { evaluate(trained, file); });
  EXPECT_EQ(evaluate(trained, file, {.truncate = true}).targets, 2);
}

TEST(EvaluationOfFolders, ReadsPairsAndQuestions) {
  const TemporaryFolder folder(in_memory());
  put(folder / "x.tsv", "the dog\tthe cat\nit ran .\tit\n");
  const Evaluation pairs = evaluate(TrainedModel(golden_model("translate")), folder / "x.tsv");
  EXPECT_EQ(pairs.samples, 2);
  EXPECT_EQ(pairs.by_length.size(), 2u) << "by the length of the source";
  EXPECT_GE(number(pairs, "exact_match"), 0);
  // The targets have 7 and 2 bytes.
  const double bits = number(pairs, "loss") * static_cast<double>(pairs.targets) / 9 / std::log(2.0);
  EXPECT_NEAR(number(pairs, "bits_per_byte"), bits, 1e-9);
  TextTask task = TrainedModel(golden_model("translate")).task();
  EXPECT_EQ(target_bytes(task, folder / "x.tsv"), 9);
  task.data.truncate = true;
  EXPECT_EQ(target_bytes(task, folder / "x.tsv"), 9) << "nothing is too long";
  task.data.context = 3;
  EXPECT_LT(target_bytes(task, folder / "x.tsv"), 9);
  EXPECT_GE(target_bytes(task, folder / "x.tsv"), 3) << "the first word of each";
  put(folder / "q.jsonl",
      R"({"question": "who is it", "context": "the dog", "answers": {"text": ["dog"], "answer_start": [4]}})"
      "\n");
  EXPECT_EQ(evaluate(TrainedModel(golden_model("answer")), folder / "q.jsonl").targets, 2);
}

TEST(EvaluationOfFolders, WhatHasNoLossIsAnError) {
  const TemporaryFolder folder(in_memory());
  put(folder / "x.tsv", "the dog\tgood\n");
  const fs::path hidden = golden_model("embed");
  expect_error(Fault::data, Code::wrong_head, {hidden.c_str(), "none"},
               [&] { evaluate(TrainedModel(hidden), folder / "x.tsv"); });
  const CopyOf scores("classify");
  std::string config = read_file(scores / "config.json");
  config.replace(config.find('{'), 1, "{\"problem_type\": \"multi_label_classification\",");
  put(scores / "config.json", config);
  expect_error(Fault::data, Code::unsupported_field, {scores.path().c_str(), "multi_label_classification"},
               [&] { evaluate(TrainedModel(scores.path()), folder / "x.tsv"); });
}

}  // namespace
}  // namespace locus
