// What `locus forward` takes, and what it refuses. That the numbers are right is family_test.cc's subject.
#include "locus/checkpoint/forward.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"
#include "tests/program.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

ForwardInputs inputs(const std::string& json) {
  const TemporaryFolder folder;
  put(folder / "x.json", json);
  return read_inputs(folder / "x.json");
}

void expect_inputs_refused(const std::string& json, const std::string& text) {
  expect_bad_data(text, [&] { inputs(json); });
}

TEST(ForwardInputs, AreRectanglesOfNumbers) {
  const ForwardInputs in = inputs(R"({"input_ids": [[1, 2], [3, 4]], "position_ids": [[0, 1.0], [2, 3]],
                                      "labels": [0.5, 1], "attention_mask": null})");
  EXPECT_EQ(in.input_ids.shape(), (Shape{2, 2}));
  EXPECT_EQ(in.position_ids.dtype(), DType::i32);
  EXPECT_EQ(in.labels.dtype(), DType::f32);
  EXPECT_FALSE(in.attention_mask);
}

TEST(ForwardInputs, RefuseWhatIsNone) {
  expect_inputs_refused("[1]", "x.json': is no JSON object: ");
  expect_inputs_refused("{}", "has no input_ids, expected a list of lists");
  expect_inputs_refused(R"({"input_id": [[1]]})", "has 'input_id', expected only input_ids, attention_mask");
  expect_inputs_refused(R"({"input_id": [[1]]})", "did you mean 'input_ids'?");
  expect_inputs_refused(R"({"input_ids": [[1, 2], [3]]})",
                        "input_ids[1] has 1 numbers, expected 2 as in the row before");
  expect_inputs_refused(R"({"input_ids": [[1], 2]})", "input_ids mixes numbers and lists");
  expect_inputs_refused(R"({"input_ids": 3})", "input_ids is no list, expected a list of whole numbers");
  expect_inputs_refused(R"({"input_ids": [["a"]]})", "input_ids holds something that is no number");
  expect_inputs_refused(R"({"input_ids": [[1.5]]})", "input_ids holds 1.5, expected a list of whole numbers");
  expect_inputs_refused(R"({"input_ids": [[3000000000]]})", "input_ids holds 3000000000, expected");
}

void expect_refused(const std::string& family, const std::string& json, const std::string& text) {
  SCOPED_TRACE(json);
  ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
  const ForwardInputs in = inputs(json);
  expect_bad_data(text, [&] { forward(folder, in, false); });
}

TEST(Forward, RefusesInputsThatTheModelCannotTake) {
  expect_refused("bert", R"({"input_ids": [[1, 29]]})", "input_ids[0, 1] is 29, expected 0 to 28");
  expect_refused("bert", R"({"input_ids": [[1, -1]]})", "input_ids[0, 1] is -1, expected 0 to 28");
  expect_refused("bert", R"({"input_ids": [1, 2]})", "input_ids has shape [2], expected [sequences, tokens]");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "attention_mask": [[1]]})",
                 "attention_mask has shape [1, 1], expected that of input_ids, [1, 2]");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "token_type_ids": [[0, 2]]})",
                 "token_type_ids[0, 1] is 2, expected 0 to 1");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "position_ids": [[0, 14]]})",
                 "positions[0, 1] is 14, past the table, which has 14 rows");
  expect_refused("opt", R"({"input_ids": [[1, 2]], "position_ids": [[0, 2147483647]]})",
                 "positions[0, 1] is 2147483647, past the table");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "decoder_input_ids": [[0]]})",
                 "decoder_input_ids are given, but the model has no decoder of its own");
  expect_refused("bart", R"({"input_ids": [[1, 2]]})",
                 "decoder_input_ids are missing, and there are no labels");
  expect_refused("bart", R"({"input_ids": [[1, 2]], "labels": [[1]], "position_ids": [[0, 1]]})",
                 "position_ids are given, but such models take none");
  expect_refused("bart-class", R"({"input_ids": [[5, 2], [5, 6]]})",
                 "input_ids[1] has no 2, the eos_token_id, where the label would be read off");
  expect_refused("bart-class", R"({"input_ids": [[5, 2]], "decoder_input_ids": [[2]]})",
                 "decoder_input_ids has shape [1, 1], expected that of input_ids, [1, 2]");
  expect_refused("mistral", R"({"input_ids": [[1, 2, 3, 4]], "attention_mask": [[0, 1, 0, 1]]})",
                 "attention_mask[0] has 0 between real tokens, but the model looks back through a window");
  expect_refused("gpt2-class", R"({"input_ids": [[5], [6]], "attention_mask": [[1], [0]]})",
                 "attention_mask[1] is 0 throughout: no token would tell the label");
  expect_refused("mpnet", R"({"input_ids": [[5, 2, 3, 4]], "attention_mask": [[1, 1, 0, 1]]})",
                 "attention_mask[0] has 0 between real tokens, but the model measures distances");
  for (const char* uneven :
       {R"({"input_ids": [[5, 6, 1, 7]]})", R"({"input_ids": [[5, 6, 7]], "position_ids": [[2, 3, 7]]})"}) {
    expect_refused("mpnet", uneven, "positions do not rise by one from token to token");
  }
}

TEST(Forward, ADecodersLabelIsToldByTheLastTokenThatIsNoPadding) {
  for (const char* family : {"gpt2-class", "llama-class"}) {
    ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
    const auto logits = [&](const char* json) {
      return forward(folder, inputs(json), false)[1].second.values();
    };
    const std::vector<float> wanted = logits(R"({"input_ids": [[5, 9, 8]]})");
    EXPECT_EQ(logits(R"({"input_ids": [[5, 9, 8, 0, 0]]})"), wanted) << family;
    EXPECT_NE(logits(R"({"input_ids": [[5, 9, 8, 3, 0]]})"), wanted) << family;
    EXPECT_EQ(logits(R"({"input_ids": [[0, 0]]})"), logits(R"({"input_ids": [[0]]})")) << family;
  }
}

TEST(Forward, RefusesLabelsThatCannotBeRight) {
  expect_refused("bert", R"({"input_ids": [[1, 2]], "labels": [[1]]})",
                 "labels have shape [1, 1], expected whole numbers [1, 2]");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "labels": [[1, 29]]})",
                 "labels[0, 1] is 29, expected 0 to 28, or -100 for none");
  expect_refused("bert", R"({"input_ids": [[1, 2]], "attention_mask": [[1, 0]], "labels": [[1, 4]]})",
                 "labels[0, 1] is 4, but padding stands where it would be predicted; expected -100");
  expect_refused("gpt2", R"({"input_ids": [[1, 2]], "attention_mask": [[0, 1]], "labels": [[-100, 4]]})",
                 "labels[0, 1] is 4, but padding stands where it would be predicted; expected -100");
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [0]})",
                 "end_positions have shape");
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [-1], "end_positions": [0]})",
                 "start_positions[0] is -1, expected a column");
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [9], "end_positions": [0]})",
                 "start_positions: none lies within its row");
  expect_refused(
      "bert-answer",
      R"({"input_ids": [[1, 2]], "attention_mask": [[1, 0]], "start_positions": [1], "end_positions": [0]})",
      "start_positions[0] is 1, where there is padding");
  ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family/bert");
  expect_bad_data("gradients need a loss, and a loss needs labels",
                  [&] { forward(folder, inputs(R"({"input_ids": [[1, 2]]})"), true); });
}

TEST(Forward, IsACommand) {
  const FolderOf folder("bert");
  const std::string words =
      fmt::format("forward {} --input {} --out {} --gradients", folder.path().string(),
                  (folder / "inputs.json").string(), (folder / "y.safetensors").string());
  const Outcome outcome = run_program(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const SafetensorsFile written(folder / "y.safetensors"), golden(folder / "expected.safetensors");
  EXPECT_EQ(written.entries().size(), golden.entries().size());
  EXPECT_EQ(written.shape("logits"), golden.shape("logits"));
  EXPECT_EQ(written.shape("loss"), golden.shape("loss"));
  for (const char* name : {"inputs.json", "config.json", "model.safetensors"}) {
    const std::string before = read_file(folder / name);
    const Outcome over =
        run_program(fmt::format("forward {} --input {} --out {}", folder.path().string(),
                                (folder / "inputs.json").string(), (folder / name).string()));
    EXPECT_EQ(over.exit_code, 2) << name;
    EXPECT_NE(over.err.find("is a file that is read; give another name"), std::string::npos) << over.err;
    EXPECT_EQ(read_file(folder / name), before);
  }
  EXPECT_EQ(run_program("forward /nowhere --input x.json --out y.safetensors").exit_code, 4);
}

}  // namespace
}  // namespace locus
