// Valid and invalid inputs of `locus forward`. family_test.cc checks the results.
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

void expect_inputs_refused(const std::string& json, const Values& values, Code code = Code::none) {
  expect_bad_data(code, values, [&] { inputs(json); });
}

TEST(ForwardInputs, AreRectanglesOfNumbers) {
  const ForwardInputs in = inputs(R"({"input_ids": [[1, 2], [3, 4]], "position_ids": [[0, 1.0], [2, 3]],
                                      "labels": [0.5, 1], "attention_mask": null})");
  EXPECT_EQ(in.input_ids.shape(), (Shape{2, 2}));
  EXPECT_EQ(in.position_ids.dtype(), DType::i32);
  EXPECT_EQ(in.labels.dtype(), DType::f32);
  EXPECT_FALSE(in.attention_mask);
}

TEST(ForwardInputs, RefuseInvalidJson) {
  expect_inputs_refused("[1]", {"x.json", "JSON object"}, Code::damaged_file);
  expect_inputs_refused("{}", {"input_ids", "list"});
  expect_inputs_refused(R"({"input_id": [[1]]})", {"'input_id'", "input_ids, attention_mask"},
                        Code::unknown_option);
  expect_inputs_refused(R"({"input_id": [[1]]})", {"'input_ids'"}, Code::unknown_option);
  expect_inputs_refused(R"({"input_ids": [[1, 2], [3]]})", {"input_ids[1]", "1", "2"}, Code::bad_shape);
  expect_inputs_refused(R"({"input_ids": [[1], 2]})", {"input_ids", "numbers", "lists"});
  expect_inputs_refused(R"({"input_ids": 3})", {"input_ids", "list", "whole numbers"});
  expect_inputs_refused(R"({"input_ids": [["a"]]})", {"input_ids", "number"});
  expect_inputs_refused(R"({"input_ids": [[1.5]]})", {"input_ids", "1.5", "whole numbers"});
  expect_inputs_refused(R"({"input_ids": [[3000000000]]})", {"input_ids", "3000000000"});
}

void expect_refused(const std::string& family, const std::string& json, Code code, const Values& values) {
  SCOPED_TRACE(json);
  ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
  const ForwardInputs in = inputs(json);
  expect_bad_data(code, values, [&] { forward(folder, in, false); });
}

TEST(Forward, RefusesInputsThatTheModelCannotTake) {
  expect_refused("bert", R"({"input_ids": [[1, 29]]})", Code::bad_token,
                 {"input_ids[0, 1]", "29", "0", "28"});
  expect_refused("bert", R"({"input_ids": [[1, -1]]})", Code::bad_token,
                 {"input_ids[0, 1]", "-1", "0", "28"});
  expect_refused("bert", R"({"input_ids": [1, 2]})", Code::bad_shape,
                 {"input_ids", "[2]", "[sequences, tokens]"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "attention_mask": [[1]]})", Code::bad_shape,
                 {"attention_mask", "[1, 1]", "input_ids", "[1, 2]"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "token_type_ids": [[0, 2]]})", Code::none,
                 {"token_type_ids[0, 1]", "2", "0 to 1"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "position_ids": [[0, 14]]})", Code::bad_position,
                 {"positions[0, 1]", "14", "14 rows"});
  expect_refused("opt", R"({"input_ids": [[1, 2]], "position_ids": [[0, 2147483647]]})", Code::bad_position,
                 {"positions[0, 1]", "2147483647"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "decoder_input_ids": [[0]]})", Code::none,
                 {"decoder_input_ids", "encoder-decoder"});
  expect_refused("bart", R"({"input_ids": [[1, 2]]})", Code::none, {"decoder_input_ids", "labels"});
  expect_refused("bart", R"({"input_ids": [[1, 2]], "labels": [[1]], "position_ids": [[0, 1]]})", Code::none,
                 {"position_ids"});
  expect_refused("bart-class", R"({"input_ids": [[5, 2], [5, 6]]})", Code::none,
                 {"input_ids[1]", "2", "eos_token_id"});
  expect_refused("bart-class", R"({"input_ids": [[5, 2]], "decoder_input_ids": [[2]]})", Code::bad_shape,
                 {"decoder_input_ids", "[1, 1]", "input_ids", "[1, 2]"});
  expect_refused("mistral", R"({"input_ids": [[1, 2, 3, 4]], "attention_mask": [[0, 1, 0, 1]]})", Code::none,
                 {"attention_mask[0]", "0", "window"});
  expect_refused("gpt2-class", R"({"input_ids": [[5], [6]], "attention_mask": [[1], [0]]})", Code::none,
                 {"attention_mask[1]"});
  expect_refused("mpnet", R"({"input_ids": [[5, 2, 3, 4]], "attention_mask": [[1, 1, 0, 1]]})", Code::none,
                 {"attention_mask[0]", "0", "distances"});
  for (const char* uneven :
       {R"({"input_ids": [[5, 6, 1, 7]]})", R"({"input_ids": [[5, 6, 7]], "position_ids": [[2, 3, 7]]})"}) {
    expect_refused("mpnet", uneven, Code::bad_position, {"position_ids", "attention_mask"});
  }
}

// transformers reads packed sequences there, and one sequence if there is a mask.
TEST(Forward, RefusesPositionsThatRestartWithoutAMask) {
  for (const char* family : {"llama", "gpt2", "gemma3-encoder"}) {
    expect_refused(family, R"({"input_ids": [[1, 2, 3]], "position_ids": [[0, 1, 0]]})", Code::bad_position,
                   {"position_ids[0, 2]", "0", "1", "attention_mask", "packed"});
    ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
    for (const char* one :
         {R"({"input_ids": [[1, 2, 3]], "position_ids": [[0, 1, 0]], "attention_mask": [[1, 1, 1]]})",
          R"({"input_ids": [[1, 2, 3], [3, 2, 1]], "position_ids": [[4, 5, 6], [0, 1, 2]]})"}) {
      EXPECT_NO_THROW(forward(folder, inputs(one), false)) << family << one;
    }
  }
  for (const char* family : {"bert", "qwen2-encoder", "opt", "falcon"}) {
    ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
    EXPECT_NO_THROW(
        forward(folder, inputs(R"({"input_ids": [[1, 2, 3]], "position_ids": [[0, 1, 0]]})"), false))
        << family;
  }
}

// In M2M100 of transformers, padding has no position.
TEST(Forward, RefusesPaddingThatM2m100WouldSee) {
  expect_refused("m2m-100", R"({"input_ids": [[5, 1]], "decoder_input_ids": [[2, 6]]})", Code::none,
                 {"input_ids[0, 1]", "1", "attention_mask"});
  expect_refused("m2m-100", R"({"input_ids": [[5, 7]], "decoder_input_ids": [[2, 1, 6]]})", Code::none,
                 {"decoder_input_ids[0, 2]", "6", "1"});
  ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family/m2m-100");
  EXPECT_NO_THROW(forward(folder, inputs(R"({"input_ids": [[5, 1]], "attention_mask": [[1, 0]],
                                             "decoder_input_ids": [[2, 6, 1, 1]]})"),
                          false));
}

// transformers adds a row of the token embeddings for every segment, also for segment 0.
TEST(Forward, RefusesSegmentsThatTransformersReadsAsTokens) {
  for (const char* family : {"gpt2", "gpt2-class", "gpt-neo", "gpt-bigcode", "gptj"}) {
    expect_refused(family, R"({"input_ids": [[1, 2]], "token_type_ids": [[0, 0]]})", Code::none,
                   {"token_type_ids", "segments", "token embeddings"});
  }
}

TEST(Forward, IgnoresSegmentsThatTransformersIgnores) {
  for (const char* family : {"llama", "bloom", "distilbert"}) {
    ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
    const auto states = [&](const char* json) {
      return forward(folder, inputs(json), false)[0].second.values();
    };
    EXPECT_EQ(states(R"({"input_ids": [[5, 9]], "token_type_ids": [[0, 1]]})"),
              states(R"({"input_ids": [[5, 9]]})"))
        << family;
  }
}

TEST(Forward, ADecoderClassifiesFromTheLastNonPaddingToken) {
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
  expect_refused("bert", R"({"input_ids": [[1, 2]], "labels": [[1]]})", Code::bad_shape,
                 {"labels", "[1, 1]", "[1, 2]"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "labels": [[1, 29]]})", Code::none,
                 {"labels[0, 1]", "29", "0", "28", "-100"});
  expect_refused("bert", R"({"input_ids": [[1, 2]], "attention_mask": [[1, 0]], "labels": [[1, 4]]})",
                 Code::none, {"labels[0, 1]", "4", "padding", "-100"});
  expect_refused("gpt2", R"({"input_ids": [[1, 2]], "attention_mask": [[0, 1]], "labels": [[-100, 4]]})",
                 Code::none, {"labels[0, 1]", "4", "padding", "-100"});
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [0]})", Code::bad_shape,
                 {"end_positions"});
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [-1], "end_positions": [0]})",
                 Code::none, {"start_positions[0]", "-1", "0"});
  expect_refused("bert-answer", R"({"input_ids": [[1, 2]], "start_positions": [9], "end_positions": [0]})",
                 Code::none, {"start_positions"});
  expect_refused(
      "bert-answer",
      R"({"input_ids": [[1, 2]], "attention_mask": [[1, 0]], "start_positions": [1], "end_positions": [0]})",
      Code::none, {"start_positions[0]", "1", "padding"});
  ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family/bert");
  expect_bad_data({"gradients", "labels"},
                  [&] { forward(folder, inputs(R"({"input_ids": [[1, 2]]})"), true); });
}

TEST(Forward, RefusesToReturnNumbersThatAreNotFinite) {
  for (const char* family : {"bert", "gpt2", "bert-answer"}) {
    SCOPED_TRACE(family);
    ModelFolder folder = open_model(fs::path(LOCUS_GOLDEN) / "family" / family);
    const auto run = [&](const char* json) { forward(folder, inputs(json), false); };
    EXPECT_NO_THROW(run(R"({"input_ids": [[1, 7]]})"));
    const Tensor tokens = folder.model.parameters().at("tokens").value();
    std::ranges::fill(tokens.rows(7, 8).data<float>(), 3e38f);
    expect_bad_data({"12", "last_hidden_state", "[1, 2, 12]"}, [&] { run(R"({"input_ids": [[1, 7]]})"); });
    if (folder.model.blueprint().head.kind == HeadKind::answer) {
      EXPECT_NO_THROW(run(R"({"input_ids": [[1, 2]]})"));
    } else {  // the row is also a weight of the head
      expect_bad_data({"7", "logits", "[1, 2, 29]"}, [&] { run(R"({"input_ids": [[1, 2]]})"); });
    }
  }
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
    EXPECT_NE(over.err.find(name), std::string::npos) << over.err;
    EXPECT_EQ(read_file(folder / name), before);
  }
  EXPECT_EQ(run_program("forward /nowhere --input x.json --out y.safetensors").exit_code, 4);
}

}  // namespace
}  // namespace locus
