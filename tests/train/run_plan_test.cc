// Configurations of runs: settings, search paths of files, and errors.
#include "locus/train/run_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "locus/run/run_settings.h"
#include "locus/train/model_objective.h"
#include "locus/train/text_samples.h"
#include "tests/expect_error.h"
#include "tests/program.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

class RunPlans : public ::testing::Test {
 protected:
  RunPlan plan(const std::string& toml) const {
    return plan_run(Settings::parse(toml, "run.toml"), folder.path());
  }
  void file(const std::string& name, const std::string& text) const { put(folder / name, text); }
  void expect_refused(Fault fault, const std::string& toml, std::initializer_list<const char*> values) const {
    expect_error(fault, values, [&] { plan(toml); });
  }
  const TemporaryFolder folder;
};

TEST_F(RunPlans, ADecoderOverAText) {
  file("x.txt", std::string(100, 'a'));
  const RunPlan got = plan(
      "[model]\nwidth = 32\n[model.scheme]\nname = 'rotary'\nbase = 500\n"
      "[data]\ntrain = 'x.txt'\ncontext = 10\nvalidation_split = 0.3\n[train]\nsteps = 3\n");
  EXPECT_EQ(got.task.blueprint.vocabulary, 259) << "bytes and <s>, </s>, <mask>";
  EXPECT_EQ(got.task.blueprint.max_length, 10);
  EXPECT_EQ(got.task.blueprint.scheme_options.at("base"), "500");
  EXPECT_EQ(got.training->size(), 6) << "70 tokens: the seventh window lacks its last target";
  EXPECT_EQ(got.validation->size(), 2);
  EXPECT_EQ(got.train.steps, 3);
  EXPECT_EQ(got.config.find("data.train")->value, (folder / "x.txt").string());
  EXPECT_EQ(got.config.find("train.learning_rate")->value, "0.001") << "defaults are saved, too";
  const TextTask again = task_of(got.config);
  EXPECT_EQ(again.blueprint.width, 32);
  EXPECT_EQ(again.data.context, 10);
}

// Epochs are not a setting. The error has the number of steps for these data.
TEST_F(RunPlans, EpochsAreAnsweredWithTheirSteps) {
  file("x.tsv", "one\tb\ntwo\ta\none\tb\ntwo\ta\nthree\tb\n");
  const std::string start = "[model]\nkind = 'encoder'\nhead = 'sequence_class'\n[data]\ntrain = 'x.tsv'\n";
  const auto hint_of = [&](const std::string& toml) {
    try {
      plan(toml);
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.message(), "steps = epochs x samples / batch_size")) << error.message();
      return error.hint();
    }
    return std::string("no error");
  };
  const std::string three = hint_of(start + "batch_size = 2\n[train]\nnum_epochs = 3\n");
  expect_named(three, {"5", "2", "3", "train.steps = 8"});
  // <s> and 3 or 5 bytes: 22 tokens
  const std::string by_tokens = hint_of(start + "tokens_per_step = 10\n[train]\nepochs = 1.5\n");
  expect_named(by_tokens, {"22", "10", "1.5", "train.steps = 4"});
  EXPECT_EQ(hint_of(start + "[train]\nepochs = 'all'\n"), "");
  EXPECT_EQ(hint_of("[data]\ntrain = 'nowhere.txt'\n[train]\nepochs = 2\n"), "");
}

TEST_F(RunPlans, TheDefaultsOfAMinimalConfigurationAreResolved) {
  file("x.txt", std::string(100, 'a'));
  file("x.tsv", "one\tb\ntwo\ta\n");
  const auto value = [](const RunPlan& plan, const char* key) { return plan.config.find(key)->value; };
  const RunPlan text = plan("[data]\ntrain = 'x.txt'\n[train]\nsteps = 300\n");
  EXPECT_EQ(value(text, "model.scheme.name"), "rotary");
  EXPECT_EQ(value(text, "model.init_std"), fmt::format("{}", static_cast<float>(std::sqrt(0.4 / 128))));
  EXPECT_EQ(value(text, "train.warmup"), "30");
  EXPECT_EQ(value(text, "train.clip"), "1");
  const RunPlan classes = plan(
      "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nwidth = 64\n[data]\ntrain = "
      "'x.tsv'\n[train]\nsteps = "
      "100000\n");
  EXPECT_EQ(value(classes, "model.init_std"), "0.125");
  EXPECT_EQ(value(classes, "model.pooling"), "mean");
  EXPECT_EQ(value(classes, "train.warmup"), "1000");
  const RunPlan none = plan(
      "[model]\ninit_std = 0.5\n[model.scheme]\nname = 'none'\n[data]\ntrain = 'x.txt'\n[train]\nwarmup = "
      "0\nclip "
      "= 0\n");
  EXPECT_EQ(value(none, "model.scheme.name"), "none");
  EXPECT_EQ(value(none, "model.init_std"), "0.5");
  EXPECT_EQ(value(none, "train.warmup"), "0");
  EXPECT_EQ(value(none, "train.clip"), "0");
}

TEST_F(RunPlans, CombinedSchemesHaveASectionEach) {
  file("x.txt", std::string(100, 'a'));
  const std::string data = "[data]\ntrain = 'x.txt'\ncontext = 10\n";
  const RunPlan got =
      plan("[model.scheme]\nname = 'learned+t5'\n[model.scheme.t5]\nbuckets = 8\nmax_distance = 9\n" + data);
  EXPECT_EQ(got.task.blueprint.scheme_options.at("t5.buckets"), "8");
  EXPECT_EQ(task_of(got.config).blueprint.scheme_options.at("t5.max_distance"), "9");
  expect_refused(Fault::usage, "[model.scheme]\nname = 't5'\n[model.scheme.t5]\nbuckets = 8\n" + data,
                 {"t5", "'t5.buckets'", "'buckets'"});
}

TEST_F(RunPlans, LabelsComeFromTheTrainingFile) {
  file("x.tsv", "one\tb\ntwo\ta\n");
  file("y.tsv", "three\tc\n");
  const std::string model = "[model]\nkind = 'encoder'\nhead = 'sequence_class'\n[data]\ntrain = 'x.tsv'\n";
  const RunPlan got = plan(model);
  EXPECT_EQ(got.task.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got.task.blueprint.head.labels, 2);
  EXPECT_EQ(got.training->at(0, 0).targets, std::vector<int32_t>{1});
  expect_refused(Fault::data, model + "validation = 'y.tsv'\n", {"y.tsv", "'c'"});
  expect_refused(Fault::data,
                 "[model]\nkind = 'encoder'\nhead = 'sequence_class'\nlabels = 1\n[data]\ntrain = 'x.tsv'\n",
                 {"model.labels is 1", "x.tsv", "2"});
}

TEST_F(RunPlans, LabelsWithoutANameGetNumbers) {
  file("x.tsv", "one\tb\ntwo\ta\n");
  const RunPlan got =
      plan("[model]\nkind = 'encoder'\nhead = 'sequence_class'\nlabels = 4\n[data]\ntrain = 'x.tsv'\n");
  EXPECT_EQ(got.task.labels, (std::vector<std::string>{"a", "b", "LABEL_2", "LABEL_3"}));
}

TEST_F(RunPlans, AValidationSplitThatLeavesNoTrainingDataIsAnError) {
  file("x.tsv", "one\tb\n");
  expect_refused(Fault::data,
                 "[model]\nkind = 'encoder'\nhead = 'sequence_class'\n[data]\ntrain = 'x.tsv'\n"
                 "validation_split = 0.05\n",
                 {"x.tsv", "1 example", "data.validation_split", "0.05", "data.validation"});
}

TEST_F(RunPlans, AnEmptyTextIsAnError) {
  file("x.txt", "");
  expect_refused(Fault::data, "[data]\ntrain = 'x.txt'\nvalidation_split = 0.1\n", {"x.txt", "0 tokens"});
}

TEST_F(RunPlans, WordsAndQuestions) {
  file("x.tsv", "ab c\tX Y\n");
  const RunPlan tags = plan("[model]\nkind = 'encoder'\nhead = 'token_class'\n[data]\ntrain = 'x.tsv'\n");
  const Sample tagged = tags.training->at(0, 0);
  EXPECT_EQ(tags.task.tokenizer->decode(tagged.ids), "<s>ab c");
  EXPECT_EQ(tagged.targets, (std::vector<int32_t>{-100, 0, -100, -100, 1}));
  file("x.jsonl",
       R"({"question": "who", "context": "a fox", "answers": {"text": ["fox"], "answer_start": [2]}})");
  const RunPlan answers =
      plan("[model]\nkind = 'encoder'\nhead = 'answer'\nsegments = 2\n[data]\ntrain = 'x.jsonl'\n");
  EXPECT_EQ(answers.training->at(0, 0).targets, (std::vector<int32_t>{7, 9}));
}

TEST_F(RunPlans, EncoderAndDecoderBothReadATextToClassify) {
  file("x.tsv", "abc\tX\n");
  const std::string model = "[model]\nkind = 'encoder-decoder'\n";
  const RunPlan labels = plan(model + "head = 'sequence_class'\n[data]\ntrain = 'x.tsv'\n");
  const Sample sample = labels.training->at(0, 0);
  EXPECT_EQ(sample.text, (std::vector<int32_t>{256, 'a', 'b', 'c'})) << "<s> and the text";
  EXPECT_EQ(sample.ids, (std::vector<int32_t>{256, 256, 'a', 'b'})) << "one later";
  EXPECT_EQ(sample.targets, std::vector<int32_t>{0});
  file("x.jsonl",
       R"({"question": "who", "context": "a fox", "answers": {"text": ["fox"], "answer_start": [2]}})");
  const RunPlan answers = plan(model + "head = 'answer'\nsegments = 2\n[data]\ntrain = 'x.jsonl'\n");
  const BatchLoss loss = batch_loss(Model(answers.task.blueprint), {answers.training->at(0, 0)}, {});
  EXPECT_EQ(loss.tokens, 2 * 10) << "segments are the encoder's";
}

TEST_F(RunPlans, ExamplesLongerThanTheContext) {
  file("x.tsv", "abc\tcba\nabcdefgh\thgfedcba\n");
  const std::string model = "[model]\nkind = 'encoder-decoder'\n[data]\ntrain = 'x.tsv'\ncontext = 6\n";
  expect_refused(Fault::data, model, {"x.tsv", "line 2", "9", "6"});
  const Sample cut = plan(model + "truncate = true\n").training->at(1, 0);
  const int32_t start = 256, end = 257;
  EXPECT_EQ(cut.text, (std::vector<int32_t>{'a', 'b', 'c', 'd', 'e', end})) << "special tokens stay";
  EXPECT_EQ(cut.ids, (std::vector<int32_t>{start, 'h', 'g', 'f', 'e', 'd'}));
  EXPECT_EQ(cut.targets, (std::vector<int32_t>{'h', 'g', 'f', 'e', 'd', end}));
  file("x.jsonl",
       R"({"question": "q", "context": "a fox", "answers": {"text": ["fox"], "answer_start": [2]}})");
  const RunPlan answers = plan(
      "[model]\nkind = 'encoder'\nhead = 'answer'\n[data]\ntrain = 'x.jsonl'\ncontext = 5\ntruncate = "
      "true\n");
  EXPECT_EQ(answers.training->at(0, 0).targets, (std::vector<int32_t>{0, 0})) << "out of sight";
}

TEST_F(RunPlans, FilesAreSearchedInLocusData) {
  file("story.txt", std::string(100, 'a'));
  ASSERT_EQ(::setenv("LOCUS_DATA", folder.path().c_str(), 1), 0);
  const RunPlan got = plan("[data]\ntrain = '../nowhere/story.txt'\n");
  ::unsetenv("LOCUS_DATA");
  EXPECT_EQ(got.task.data.train, (folder / "story.txt").string());
}

TEST_F(RunPlans, AllErrorsAreReportedTogether) {
  expect_refused(Fault::usage,
                 "seed = 3\n[model]\nwidht = 32\n[modle]\nheads = 2\n[data]\nbatch_size = "
                 "0\n[train]\nschedule = 'cosin'\n",
                 {"6", "'seed'", "'modle.heads'", "widht", "'width'", "[data]", "batch_size", "'0'",
                  "'cosine'", "[data] train"});
  expect_refused(Fault::usage, "[model]\nwidth = 30\nheads = 4\n[data]\ntrain = 'x'\n",
                 {"width is 30", "heads", "4"});
  expect_refused(Fault::usage, "[model.scheme]\nname = 'rotray'\n[data]\ntrain = 'x'\n",
                 {"'rotray'", "'rotary'"});
  expect_refused(Fault::usage, "[model]\nkind = 'encoder'\nhead = 'embedding'\n[data]\ntrain = 'x'\n",
                 {"head", "embedding"});
}

TEST_F(RunPlans, InvalidDataIsAnError) {
  file("short.txt", "abc");
  file("empty.txt", "");
  file("odd.tsv", "a\tb\tc\n");
  file("bad.tokens", "LOCUSTOK nonsense");
  expect_error(Fault::io, Code::missing_file, {"data.train", (folder / "nowhere.txt").c_str()},
               [&] { plan("[data]\ntrain = 'nowhere.txt'\n"); });
  expect_refused(Fault::data, "[data]\ntrain = 'short.txt'\n", {"short.txt", "3 tokens", "65"});
  expect_refused(Fault::data, "[data]\ntrain = 'empty.txt'\n", {"empty.txt", "0 tokens"});
  expect_refused(Fault::data, "[model]\nkind = 'encoder-decoder'\n[data]\ntrain = 'odd.tsv'\n",
                 {"odd.tsv", "line 1", "3 fields"});
  file("x.txt", std::string(100, 'a'));
  expect_refused(Fault::data, "[model]\nvocabulary = 100\n[data]\ntrain = 'x.txt'\n",
                 {"model.vocabulary is 100", "259"});
  expect_refused(Fault::data,
                 "[model]\nkind = 'encoder'\nhead = 'masked_token'\n[data]\ntrain = 'x.txt'\ntokenizer = '" +
                     golden_text("learned").string() + "'\n",
                 {"'<mask>'"});
}

}  // namespace
}  // namespace locus
