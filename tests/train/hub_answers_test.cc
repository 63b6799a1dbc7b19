// Question-answering heads, trained from Hugging Face model folders.
#include <gtest/gtest.h>

#include "tests/train/hub_run.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

std::string line(const std::string& question, const std::string& context, const std::string& answer) {
  const size_t start = context.find(answer);
  const std::string answers = answer.empty()
                                  ? R"({"text": [], "answer_start": []})"
                                  : fmt::format(R"({{"text": ["{}"], "answer_start": [{}]}})", answer, start);
  return fmt::format(R"({{"question": "{}", "context": "{}", "answers": {}}})", question, context, answers) +
         "\n";
}

class HubAnswers : public HubRun {
 protected:
  HubAnswers() {
    add_letters();
    put(folder / "x.jsonl", line("a", "d B  c f", "B  c") + line("b", "d b c f", "f") + line("c", "d b", ""));
  }
  void configure(const std::string& more = "") const {
    config(model.path().string(), "head = 'answer'\n[data]\ntrain = 'x.jsonl'\nbatch_size = 3\n" + more);
  }
};

TEST_F(HubAnswers, TargetsFollowFromOffsets) {
  configure();
  RunPlan planned = plan();
  std::vector<Sample> samples;
  for (int64_t i = 0; i < 3; ++i) samples.push_back(planned.training->at(i, 0));
  EXPECT_EQ(samples[0].ids, (Ids{2, 5, 3, 8, 6, 7, 10, 3})) << "[CLS] a [SEP] d b c f [SEP]";
  EXPECT_EQ(samples[0].segments, (Ids{0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(samples[0].targets, (Ids{4, 5}));
  EXPECT_EQ(samples[1].targets, (Ids{6, 6}));
  EXPECT_EQ(samples[2].targets, (Ids{0, 0})) << "[CLS] where there is no answer";
  expect_loss_of_forward(
      std::move(planned), 2,
      {.input_ids = Tensor::of({2, 8}, Ids{2, 5, 3, 8, 6, 7, 10, 3, 2, 6, 3, 8, 6, 7, 10, 3}),
       .token_type_ids = Tensor::of({2, 8}, Ids{0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1}),
       .start_positions = Tensor::of({2}, Ids{4, 6}),
       .end_positions = Tensor::of({2}, Ids{5, 6})});
}

TEST_F(HubAnswers, ABertLearnsToAnswer) {
  model.change("\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 0.0");
  model.change("\"attention_probs_dropout_prob\": 0.1", "\"attention_probs_dropout_prob\": 0.0");
  configure("validation = 'x.jsonl'\n[train]\nsteps = 60\nlearning_rate = 0.02\neval_every = 60\n");
  expect_trained();
  expect_output("answer", "a 'd B  c f' b 'd b c f' c 'd b'", "B  c\nf\nno answer\n");
  EXPECT_EQ(Config(folder / "out" / "hub" / "config.json").text("architectures.0"),
            "BertForQuestionAnswering");
  const Outcome outcome =
      run_program("eval " + (folder / "out").string() + " " + (folder / "x.jsonl").string() + " --json");
  EXPECT_NE(outcome.out.find("\"exact_match\": 1,\n  \"f1\": 1,"), std::string::npos) << outcome.out;

  // The exported folder can be trained further with its own head.
  config((folder / "out" / "hub").string(), "[data]\ntrain = 'x.jsonl'\n[train]\nsteps = 1\n");
  EXPECT_TRUE(plan().start->changes.empty()) << "no new head";
}

TEST_F(HubAnswers, InvalidDataIsAnError) {
  put(folder / "x.jsonl", line("a", "a b c d e f a b c d e f", "f"));
  configure();
  expect_refused(Fault::data, Code::context_too_long, {"x.jsonl", "line 1", "16", "14"});
  configure("truncate = true\n");
  EXPECT_EQ(plan().training->at(0, 0).targets, (Ids{8, 8}));
  configure("truncate = true\ncontext = 9\n");
  const Sample cut = plan().training->at(0, 0);
  EXPECT_EQ(cut.ids, (Ids{2, 5, 3, 5, 6, 7, 8, 9, 3})) << "[SEP] stays";
  EXPECT_EQ(cut.targets, (Ids{0, 0})) << "the answer is out of sight";
  put(folder / "x.jsonl",
      R"({"question": "a", "context": "b c", "answers": {"text": ["d"], "answer_start": [0]}})");
  configure();
  expect_refused(Fault::data, {"x.jsonl", "line 1", "'d'", "0", "'b'"});
  put(folder / "x.jsonl", line("a", "b c", "b c") + line("a", "b  c", "  "));
  expect_refused(Fault::data, {"x.jsonl", "line 2", "'  '"});
}

}  // namespace
}  // namespace locus
