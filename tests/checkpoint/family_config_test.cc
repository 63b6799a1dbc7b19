// What config.json means where it says a thing twice, or leaves it out: what transformers takes it for.
#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

struct Change {
  std::string from, to;
};

Blueprint changed(const std::string& family, const std::vector<Change>& changes) {
  const FolderOf folder(family);
  for (const auto& [from, to] : changes) folder.change(from, to);
  return read_architecture(Config(folder / "config.json")).blueprint;
}

int64_t qwen_window(const std::string& types, const std::string& full, const std::string& window) {
  return changed("qwen2", {{"\"use_sliding_window\": false", "\"use_sliding_window\": true"},
                           {"\"full_attention\",\n    \"full_attention\"", types},
                           {"\"max_window_layers\": 28", "\"max_window_layers\": " + full},
                           {"\"sliding_window\": null,", window}})
      .window;
}

TEST(FamilyConfig, TypesOfLayersTellTheWindowBeforeTheirNumberDoes) {
  const std::string five = "\"sliding_window\": 5,";
  const std::string sliding = R"("sliding_attention", "sliding_attention")";
  EXPECT_EQ(qwen_window(sliding, "28", five), 5);
  EXPECT_EQ(qwen_window(R"("full_attention", "full_attention")", "0", five), 0);
  EXPECT_EQ(qwen_window("", "0", five), 5);
  EXPECT_EQ(qwen_window("", "2", five), 0);
  EXPECT_EQ(qwen_window(sliding, "0", ""), 4096);
  EXPECT_EQ(qwen_window(sliding, "0", "\"sliding_window\": null,"), 0);
  EXPECT_EQ(qwen_window("", "1", "\"sliding_window\": null,"), 0);
  expect_bad_data("max_window_layers is 1, but Locus has one window for all 2 layers",
                  [&] { qwen_window("", "1", five); });
  for (const std::string types : {R"("sliding_attention", "full_attention")", R"("sliding_attention")",
                                  R"("chunked_attention", "chunked_attention")"}) {
    expect_bad_data("expected sliding_attention for each, or full_attention",
                    [&] { qwen_window(types, "0", five); });
  }
}

TEST(FamilyConfig, MistralHasNoWindowOnlyWhereItIsNull) {
  EXPECT_EQ(changed("mistral", {}).window, 4);
  EXPECT_EQ(changed("mistral", {{"\"sliding_window\": 4", "\"sliding_window\": null"}}).window, 0);
  EXPECT_EQ(changed("mistral", {{"\"sliding_window\": 4,", ""}}).window, 4096);
}

TEST(FamilyConfig, GptNeoHasItsWindowInEverySecondLayerOrAll) {
  const auto read = [](const std::string& first, const std::string& second, int times) {
    const FolderOf folder("gpt-neo");
    const std::string config = read_file(folder / "config.json");
    const size_t begin = config.find("\"attention_types\""), end = config.find("\"bos_token_id\"");
    folder.change(config.substr(begin, end - begin),
                  fmt::format(R"("attention_types": [[["{}"], 1], [["{}", "{}"], {}]], )", first, second,
                              first, times));
    return read_architecture(Config(folder / "config.json")).blueprint;
  };
  EXPECT_EQ(read("global", "local", 1).window, 4);
  EXPECT_EQ(read("global", "local", 1).full_every, 2);
  EXPECT_EQ(read("local", "local", 1).full_every, 0);
  EXPECT_EQ(read("local", "local", 1).window, 4);
  EXPECT_EQ(read("global", "global", 1).window, 0);
  expect_bad_data("expected global and local in turn, or one of them", [&] { read("local", "global", 1); });
  expect_bad_data("which are 5 layers: expected num_layers, 3", [&] { read("global", "local", 2); });
}

TEST(FamilyConfig, MpnetHasAsManyBucketsAsItReads) {
  expect_bad_data("relative_attention_num_buckets is 16, but distances fall into 32: expected 32", [] {
    changed("mpnet", {{"\"relative_attention_num_buckets\": 32", "\"relative_attention_num_buckets\": 16"}});
  });
}

TEST(FamilyConfig, OldScalingCountsBeforeNewParameters) {
  const auto options = [](const std::string& scaling) {
    return changed("neox", {{"\"model_type\"", "\"rope_scaling\": " + scaling + ", \"model_type\""}})
        .scheme_options;
  };
  OptionValues scaled = options(R"({"type": "linear", "factor": 4.0})");
  EXPECT_EQ(scaled["scaling"], "linear");
  EXPECT_EQ(scaled["base"], "10000");
  EXPECT_EQ(scaled["width"], "2");
  for (const char* none : {"{}", "null"}) {
    EXPECT_FALSE(options(none).contains("scaling"));
    EXPECT_EQ(options(none)["base"], "200");
  }
}

TEST(FamilyConfig, GptNeoxHasAnotherNameForTheBase) {
  const auto base = [](const std::string& fields) {
    return changed("neox", {{"\"rope_theta\": 200.0,", ""}, {"\"model_type\"", fields + "\"model_type\""}})
        .scheme_options["base"];
  };
  EXPECT_EQ(base(R"("rotary_emb_base": 333, "rope_theta": 50, )"), "333");
  EXPECT_EQ(base(R"("rope_theta": 50, )"), "10000");
}

TEST(FamilyConfig, T5MayHaveAnotherActivationThanItsFeedForwardIsCalledFor) {
  EXPECT_EQ(changed("t5-v11", {{"gelu_new", "relu"}}).activation, Activation::relu);
  EXPECT_EQ(changed("t5-v11", {{"\"dense_act_fn\": \"gelu_new\",", ""}}).activation, Activation::gelu_tanh);
  EXPECT_FALSE(changed("t5-v11", {{"\"is_gated_act\": true", "\"is_gated_act\": false"}}).gated);
}

TEST(FamilyConfig, CamembertIsRoberta) {
  const FolderOf folder("roberta");
  folder.change("RobertaForMaskedLM", "CamembertForMaskedLM");
  folder.change("\"model_type\": \"roberta\"", "\"model_type\": \"camembert\"");
  folder.change("\"gelu\"", "\"gelu_python\"");
  const ModelFolder opened = open_model(folder.path());
  EXPECT_EQ(opened.architecture.blueprint.head, HeadKind::masked_token);
  EXPECT_EQ(opened.architecture.blueprint.activation, Activation::gelu);
}

}  // namespace
}  // namespace locus
