// config.json files that state a setting twice or omit it: they must mean the same as in transformers.
#include <gtest/gtest.h>

#include "locus/checkpoint/forward.h"
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

Blueprint qwen(const std::string& types, const std::string& full, const std::string& window) {
  return changed("qwen2", {{"\"use_sliding_window\": false", "\"use_sliding_window\": true"},
                           {"\"full_attention\",\n    \"full_attention\"", types},
                           {"\"max_window_layers\": 28", "\"max_window_layers\": " + full},
                           {"\"sliding_window\": null,", window}});
}
int64_t qwen_window(const std::string& types, const std::string& full, const std::string& window) {
  return qwen(types, full, window).attention.window;
}

TEST(FamilyConfig, LayerTypesTakePrecedenceOverMaxWindowLayers) {
  const std::string five = "\"sliding_window\": 5,";
  const std::string sliding = R"("sliding_attention", "sliding_attention")";
  EXPECT_EQ(qwen_window(sliding, "28", five), 5);
  EXPECT_EQ(qwen_window(R"("full_attention", "full_attention")", "0", five), 0);
  EXPECT_EQ(qwen_window("", "0", five), 5);
  EXPECT_EQ(qwen_window("", "2", five), 0);
  EXPECT_EQ(qwen_window(sliding, "0", ""), 4096);
  EXPECT_EQ(qwen_window(sliding, "0", "\"sliding_window\": null,"), 0);
  EXPECT_EQ(qwen_window("", "1", "\"sliding_window\": null,"), 0);
  for (const Blueprint& b :
       {qwen("", "1", five), qwen(R"("full_attention", "sliding_attention")", "0", five)}) {
    EXPECT_EQ(b.window_of(0), 0);
    EXPECT_EQ(b.window_of(1), 5);
  }
  const Blueprint last = qwen(R"("sliding_attention", "full_attention")", "0", five);
  EXPECT_EQ(last.window_of(0), 5);
  EXPECT_EQ(last.window_of(1), 0);
  expect_bad_data({"layer_types", "'chunked_attention'", "layer 0", "full_attention", "sliding_attention"},
                  [&] { qwen_window(R"("chunked_attention", "chunked_attention")", "0", five); });
  expect_bad_data({"layer_types", "list", "1 layers", "2"},
                  [&] { qwen_window(R"("sliding_attention")", "0", five); });
}

TEST(FamilyConfig, ModernBertSaysBasesAndWindowsInTwoWays) {
  const Blueprint now = changed("modernbert", {});
  EXPECT_EQ(now.attention.window, 4) << "a token and three on either side";
  EXPECT_EQ(now.global.every, 2);
  EXPECT_EQ(now.scheme_options.at("base"), "50");
  EXPECT_EQ(now.global.scheme_options.at("base"), "500");
  const std::vector<Change> old = {
      {"\"layer_types\": [\n    \"full_attention\",\n    \"sliding_attention\",\n    \"full_attention\"\n  "
       "],",
       ""},
      {"\"rope_parameters\"", "\"global_rope_theta\": 500, \"local_rope_theta\": 50.0, \"unread\""}};
  EXPECT_EQ(values_of(changed("modernbert", old)), values_of(now));

  std::vector<Change> alike = old;
  alike.push_back({"\"global_rope_theta\": 500", "\"global_rope_theta\": 50"});
  EXPECT_EQ(changed("modernbert", alike).global.scheme, "");
  alike.push_back({"\"global_attn_every_n_layers\": 2", "\"global_attn_every_n_layers\": 1"});
  EXPECT_EQ(changed("modernbert", alike).attention.window, 0);
  std::vector<Change> presets = old;
  presets[1].to = "\"unread\"";
  EXPECT_EQ(changed("modernbert", presets).scheme_options.at("base"), "10000");
  EXPECT_EQ(changed("modernbert", presets).global.scheme_options.at("base"), "160000");
}

TEST(FamilyConfig, OlmoSaysItsRotationInTwoWays) {
  const Blueprint now = changed("olmo3", {});
  EXPECT_EQ(now.scheme_options.at("base"), "500");
  EXPECT_EQ(now.global.scheme_options.at("scaling"), "yarn");
  const Blueprint old = changed("olmo3", {{"\"rope_parameters\"",
                                           R"("rope_theta": 500, "rope_scaling": {"factor": 4,
                                              "original_max_position_embeddings": 8, "rope_type": "yarn"},
                                              "unread")"}});
  EXPECT_EQ(old.scheme_options, now.scheme_options) << "the scaling is for global-attention layers only";
  EXPECT_EQ(old.global.scheme_options, now.global.scheme_options);
  EXPECT_EQ(changed("olmo3", {{"\"rope_parameters\"", "\"unread\""}}).scheme_options.at("base"), "500000");
}

// transformers ignores a rotation that is not assigned to a kind of layer.
TEST(FamilyConfig, OneRotationForTwoKindsOfLayersIsRefused) {
  for (const char* family : {"olmo3", "gemma3", "modernbert"}) {
    expect_bad_data({"rope_parameters", "full_attention", "sliding_attention"}, [&] {
      changed(family, {{"\"rope_parameters\"", R"("rope_parameters": {"rope_type": "linear", "factor": 4,
                                                   "rope_theta": 77}, "unread")"}});
    });
  }
}

TEST(FamilyConfig, GemmaSaysBasesAndWindowsInTwoWays) {
  const Blueprint now = changed("gemma3", {});
  EXPECT_EQ(now.global.first, 2);
  EXPECT_EQ(now.scheme_options.at("base"), "60");
  EXPECT_EQ(now.global.scheme_options.at("base"), "700");
  EXPECT_EQ(now.global.scheme_options.at("scaling"), "linear");
  const std::string types =
      "\"layer_types\": [\n    \"sliding_attention\",\n    \"sliding_attention\",\n    "
      "\"full_attention\",\n    \"sliding_attention\"\n  ],";
  const Blueprint old =
      changed("gemma3", {{types, "\"sliding_window_pattern\": 3,"},
                         {"\"rope_parameters\"",
                          R"("rope_theta": 700, "rope_local_base_freq": 60, "rope_scaling": {"factor": 2,
                             "rope_type": "linear"}, "unread")"}});
  EXPECT_EQ(old.scheme_options, now.scheme_options) << "the scaling is for global-attention layers only";
  EXPECT_EQ(old.global.scheme_options, now.global.scheme_options);
  EXPECT_EQ(old.window_of(2), 0);
  EXPECT_EQ(old.window_of(3), 4);
  const Blueprint both = changed("gemma3-encoder", {});
  EXPECT_EQ(both.kind, ModelKind::encoder);
  EXPECT_EQ(both.attention.window, 3) << "half of four on either side, and the token itself";
}

TEST(FamilyConfig, TheFirstGemmaMeansTheApproximationOfGelu) {
  EXPECT_EQ(changed("gemma", {{"gelu_pytorch_tanh", "gelu"}}).feed_forward.activation, Activation::gelu_tanh);
  EXPECT_EQ(changed("gemma", {{"gelu_pytorch_tanh", "gelu_python"}}).feed_forward.activation,
            Activation::gelu);
}

TEST(FamilyConfig, TheSecondGemmaHasCapsUnlessTheyAreNull) {
  const Blueprint given = changed("gemma2", {});
  EXPECT_EQ(given.attention.cap, 1.5f);
  EXPECT_EQ(given.head.cap, 0.8f);
  const Blueprint none = changed("gemma2", {{"softcapping\": 1.5", "softcapping\": null"},
                                            {"softcapping\": 0.8", "softcapping\": null"}});
  EXPECT_EQ(none.attention.cap, 0);
  EXPECT_EQ(none.head.cap, 0);
  const Blueprint silent = changed(
      "gemma2",
      {{"attn_logit_softcapping", "a"}, {"final_logit_softcapping", "b"}, {"\"layer_types\"", "\"c\""}});
  EXPECT_EQ(silent.attention.cap, 50);
  EXPECT_EQ(silent.head.cap, 30);
  EXPECT_EQ(silent.window_of(0), 4);
  EXPECT_EQ(silent.window_of(1), 0) << "every second layer has global attention";
}

// Released mT5 files have tie_word_embeddings false; files written by new versions of transformers have true.
TEST(FamilyConfig, NoMt5ScalesWhatItsHeadReads) {
  for (const char* tied : {"true", "false"}) {
    const Blueprint b =
        changed("mt5", {{"\"tie_word_embeddings\": true", fmt::format("\"tie_word_embeddings\": {}", tied)},
                        {"\"feed_forward_proj\"", "\"unread\""}});
    EXPECT_EQ(b.head.scale, 1);
    EXPECT_TRUE(b.feed_forward.gated);
    EXPECT_EQ(b.feed_forward.activation, Activation::gelu_tanh);
  }
}

TEST(FamilyConfig, MistralHasNoWindowOnlyWhereItIsNull) {
  EXPECT_EQ(changed("mistral", {}).attention.window, 4);
  EXPECT_EQ(changed("mistral", {{"\"sliding_window\": 4", "\"sliding_window\": null"}}).attention.window, 0);
  EXPECT_EQ(changed("mistral", {{"\"sliding_window\": 4,", ""}}).attention.window, 4096);
}

TEST(FamilyConfig, GptNeoHasItsWindowInEverySecondLayerOrAll) {
  const auto read = [](const std::string& first, const std::string& second, int times) {
    const FolderOf folder("gpt-neo");
    const std::string config = read_file(folder / "config.json");
    const size_t begin = config.find("\"attention_layers\""), end = config.find("\"bos_token_id\"");
    folder.change(config.substr(begin, end - begin),
                  fmt::format(R"("attention_types": [[["{}"], 1], [["{}", "{}"], {}]], )", first, second,
                              first, times));
    return read_architecture(Config(folder / "config.json")).blueprint;
  };
  EXPECT_EQ(read("global", "local", 1).attention.window, 4);
  EXPECT_EQ(read("global", "local", 1).global.every, 2);
  EXPECT_EQ(read("local", "local", 1).global.every, 0);
  EXPECT_EQ(read("local", "local", 1).attention.window, 4);
  EXPECT_EQ(read("global", "global", 1).attention.window, 0);
  EXPECT_EQ(read("local", "global", 1).global.first, 1);
  expect_bad_data({"attention_types", "'around'", "layer 1", "global", "local"},
                  [&] { read("global", "around", 1); });
  expect_bad_data({"attention_types", "5 layers", "3"}, [&] { read("global", "local", 2); });
}

TEST(FamilyConfig, Smollm3SaysInTwoWaysWhichLayersHaveNoPositions) {
  const std::string layers = "\"no_rope_layers\": [\n    1,\n    0,\n    1\n  ],";
  const auto read = [&](const std::string& field) { return changed("smollm3", {{layers, field}}); };
  const Blueprint now = changed("smollm3", {});
  EXPECT_EQ(now.global.scheme, "none");
  EXPECT_EQ(now.global.every, 3);
  EXPECT_EQ(now.global.first, 1);
  EXPECT_EQ(read("\"no_rope_layers\": [1, 1, 1],").global.scheme, "");
  EXPECT_EQ(read("\"no_rope_layers\": [0, 0, 0],").global.every, 1);
  EXPECT_EQ(read("\"unread\": 0,").global.scheme, "") << "every fourth, but there are three";
  EXPECT_EQ(
      changed("smollm3", {{layers, ""}, {"\"no_rope_layer_interval\": 4", "\"no_rope_layer_interval\": 3"}})
          .global.first,
      2);
  expect_bad_data({"no_rope_layers", "'1'", "layer 2", "0"}, [&] { read("\"no_rope_layers\": [0, 0, 1],"); });
}

TEST(FamilyConfig, CohereSaysWindowsInTwoWaysAndHasNoPositionsBesides) {
  const std::string types =
      "\"layer_types\": [\n    \"sliding_attention\",\n    \"full_attention\",\n    \"sliding_attention\"\n  "
      "],";
  const Blueprint now = changed("cohere2", {});
  EXPECT_EQ(now.global.scheme, "none");
  EXPECT_EQ(now.window_of(0), 4);
  EXPECT_EQ(now.window_of(1), 0);
  EXPECT_EQ(changed("cohere2", {{types, "\"sliding_window_pattern\": 3,"}}).global.first, 2);
  EXPECT_EQ(changed("cohere2", {{types, ""}}).global.scheme, "") << "every fourth, but there are three";
  const Blueprint bare = changed("cohere2", {{types, "\"sliding_window_pattern\": 1,"}});
  EXPECT_EQ(bare.attention.window, 0);
  EXPECT_TRUE(bare.is_global(0) && bare.global.scheme == "none");
}

TEST(FamilyConfig, MpnetHasAsManyBucketsAsItReads) {
  expect_bad_data(Code::unsupported_field, {"relative_attention_num_buckets", "16", "32"}, [] {
    changed("mpnet", {{"\"relative_attention_num_buckets\": 32", "\"relative_attention_num_buckets\": 16"}});
  });
}

TEST(FamilyConfig, AnOldScalingHasItsBaseOutside) {
  const auto options = [](const std::string& parameters, const std::string& scaling) {
    return changed("neox", {{"\"rope_parameters\"", "\"" + parameters + "\""},
                            {"\"model_type\"", "\"rope_scaling\": " + scaling + ", \"model_type\""}})
        .scheme_options;
  };
  OptionValues scaled = options("unread", R"({"type": "linear", "factor": 4.0})");
  EXPECT_EQ(scaled["scaling"], "linear");
  EXPECT_EQ(scaled["base"], "10000");
  EXPECT_EQ(scaled["width"], "2");
  for (const char* none : {"{}", "null"}) {
    EXPECT_FALSE(options("rope_parameters", none).contains("scaling"));
    EXPECT_EQ(options("rope_parameters", none)["base"], "200");
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
  EXPECT_EQ(changed("t5-v11", {{"gelu_new", "relu"}}).feed_forward.activation, Activation::relu);
  EXPECT_EQ(changed("t5-v11", {{"\"dense_act_fn\": \"gelu_new\",", ""}}).feed_forward.activation,
            Activation::gelu_tanh);
  EXPECT_FALSE(changed("t5-v11", {{"\"is_gated_act\": true", "\"is_gated_act\": false"}}).feed_forward.gated);
}

// The released files have the size names of GPT-2, another prefix, and no biases in the head.
TEST(FamilyConfig, NomicBertIsTheSameUnderItsFirstNames) {
  const FolderOf now("nomic-bert"), first("nomic-bert");
  const std::vector<NamedTensor> tensors = now.tensors();
  std::vector<NamedTensor> kept;
  for (const auto& [name, tensor] : tensors) {
    if (name == "cls.predictions.bias" || name == "cls.predictions.transform.dense.bias") {
      std::ranges::fill(tensor.data<float>(), 0.0f);
    } else {
      kept.emplace_back(name.starts_with("nomic_") ? name.substr(6) : name, tensor);
    }
  }
  now.write(tensors);
  first.write(kept);
  for (const auto& [from, to] :
       std::vector<Change>{{"NomicBertForMaskedLM", "NomicBertForPreTraining"},
                           {"hidden_size", "n_embd"},
                           {"num_hidden_layers", "n_layer"},
                           {"num_attention_heads", "n_head"},
                           {"intermediate_size", "n_inner"},
                           {"max_position_embeddings", "n_positions"},
                           {"layer_norm_eps", "layer_norm_epsilon"},
                           {R"("hidden_act": "silu")", R"("activation_function": "swiglu")"},
                           {R"("rope_parameters")", R"("rotary_emb_base": 200, "unread")"}}) {
    first.change(from, to);
  }
  ModelFolder one = open_model(now.path()), two = open_model(first.path());
  const ForwardInputs inputs = {.input_ids = Tensor::of({1, 5}, std::vector<int32_t>{4, 9, 7, 3, 11})};
  const std::vector<NamedTensor> wanted = forward(one, inputs, false), got = forward(two, inputs, false);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].second.values(), wanted[i].second.values());
}

TEST(FamilyConfig, CamembertIsRoberta) {
  const FolderOf folder("roberta");
  folder.change("RobertaForMaskedLM", "CamembertForMaskedLM");
  folder.change("\"model_type\": \"roberta\"", "\"model_type\": \"camembert\"");
  folder.change("\"gelu\"", "\"gelu_python\"");
  const ModelFolder opened = open_model(folder.path());
  EXPECT_EQ(opened.architecture.blueprint.head.kind, HeadKind::masked_token);
  EXPECT_EQ(opened.architecture.blueprint.feed_forward.activation, Activation::gelu);
}

}  // namespace
}  // namespace locus
