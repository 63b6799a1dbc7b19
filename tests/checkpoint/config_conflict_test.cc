// Settings of config.json that transformers and Locus would read differently: Locus refuses them.
// family_config_test.cc has those that both read in the same way.
#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

struct Edit {
  std::string from, to;
};

Blueprint edited(const std::string& family, const std::vector<Edit>& edits) {
  const FolderOf folder(family);
  for (const auto& [from, to] : edits) folder.change(from, to);
  return read_architecture(Config(folder / "config.json")).blueprint;
}

TEST(ConfigConflict, RefusesALayerPatternThatTransformersIgnores) {
  const std::string pattern = "\"sliding_window_pattern\": 3, \"unread\"";
  for (const char* family : {"gemma2", "olmo3"}) {
    expect_bad_data({"sliding_window_pattern", "3", "layer_types"}, [&] {
      edited(family, {{"\"layer_types\"", pattern}});
    });
    EXPECT_NO_THROW(edited(family, {{"\"model_type\"", "\"sliding_window_pattern\": 3, \"model_type\""}}))
        << "layer_types take precedence";
  }
}

TEST(ConfigConflict, ModernBertHasASecondNameForItsWindow) {
  const auto window = [](const std::string& fields) {
    return edited("modernbert", {{"\"local_attention\": 6", fields}}).attention.window;
  };
  EXPECT_EQ(window("\"sliding_window\": 2"), 3) << "a token and two on either side";
  EXPECT_EQ(window("\"sliding_window\": 3, \"local_attention\": 6"), 4);
  EXPECT_EQ(window("\"sliding_window\": null, \"local_attention\": 6"), 4);
  expect_bad_data({"sliding_window", "2", "local_attention", "6"},
                  [&] { window("\"sliding_window\": 2, \"local_attention\": 6"); });
}

TEST(ConfigConflict, GptNeoRefusesTwoListsOfKindsThatDiffer) {
  const std::string list = "\"attention_layers\": [\n    \"global\",\n    \"local\",\n    \"global\"\n  ],";
  EXPECT_EQ(edited("gpt-neo", {{list, ""}}).attention.window, 4);
  for (const char* other : {R"(["local", "global", "local"])", R"(["global"])"}) {
    expect_bad_data({"attention_layers", "attention_types", "global, local, global"}, [&] {
      edited("gpt-neo", {{list, fmt::format("\"attention_layers\": {},", other)}});
    });
  }
}

TEST(ConfigConflict, BloomRefusesSlicesWithoutBiases) {
  const auto read = [](const char* exact, int slices) {
    edited("bloom", {{"\"slow_but_exact\": false", fmt::format("\"slow_but_exact\": {}", exact)},
                     {"\"pretraining_tp\": 1", fmt::format("\"pretraining_tp\": {}", slices)}});
  };
  EXPECT_NO_THROW(read("true", 1));
  EXPECT_NO_THROW(read("false", 2));
  expect_bad_data(Code::unsupported_field, {"slow_but_exact", "true"}, [&] { read("true", 2); });
}

TEST(ConfigConflict, RefusesNullWhereTransformersReadsItAsFalse) {
  const auto added = [](const char* family, const std::string& field) {
    edited(family, {{"\"model_type\"", field + ", \"model_type\""}});
  };
  for (const char* family : {"qwen2", "llama", "bloom"}) {
    EXPECT_NO_THROW(added(family, "\"is_causal\": true"));
    expect_bad_data({"is_causal", "null"}, [&] { added(family, "\"is_causal\": null"); });
  }
  expect_bad_data({"scale_decoder_outputs", "null"}, [&] {
    edited("t5", {{"\"scale_decoder_outputs\": true", "\"scale_decoder_outputs\": null"}});
  });
}

TEST(ConfigConflict, RefusesAnotherDirectionThanThatOfTheFamily) {
  const auto added = [](const char* family, const std::string& value) {
    edited(family, {{"\"model_type\"", fmt::format("\"is_causal\": {}, \"model_type\"", value)}});
  };
  for (const char* family : {"bart", "marian", "t5", "gpt2"}) {
    EXPECT_NO_THROW(added(family, "true"));
    expect_bad_data(Code::unsupported_field, {"is_causal", "false", "true"}, [&] { added(family, "false"); });
    expect_bad_data({"is_causal", "null"}, [&] { added(family, "null"); });
  }
  for (const char* family : {"bert", "modernbert"}) {
    EXPECT_NO_THROW(added(family, "false"));
    expect_bad_data(Code::unsupported_field, {"is_causal", "true"}, [&] { added(family, "true"); });
  }
}

TEST(ConfigConflict, RefusesAnyDirectionBesideGemmasBidirectionalAttention) {
  for (const char* value : {"true", "false", "null"}) {
    expect_bad_data(Code::unsupported_field, {"is_causal", value}, [&] {
      edited("gemma3-encoder", {{"\"model_type\"", fmt::format("\"is_causal\": {}, \"model_type\"", value)}});
    });
  }
}

TEST(ConfigConflict, RefusesAnEncoderDecoderThatSaysItIsNone) {
  const auto read = [](const char* family, const char* value) {
    edited(family, {{"\"is_encoder_decoder\": true", fmt::format("\"is_encoder_decoder\": {}", value)}});
  };
  for (const char* family : {"bart-class", "bart", "t5"}) {
    expect_bad_data(Code::unsupported_field, {"is_encoder_decoder", "false"}, [&] { read(family, "false"); });
    expect_bad_data({"is_encoder_decoder", "null"}, [&] { read(family, "null"); });
  }
}

TEST(ConfigConflict, RefusesSizesThatFollowFromOthers) {
  const auto added = [](const char* family, const std::string& field) {
    edited(family, {{"\"model_type\"", field + ", \"model_type\""}});
  };
  EXPECT_NO_THROW(added("gpt-bigcode", "\"num_key_value_heads\": 1"));
  expect_bad_data({"num_key_value_heads", "3", "1"}, [&] {
    edited("gpt-bigcode", {{"\"num_key_value_heads\": 1", "\"num_key_value_heads\": 3"}});
  });
  expect_bad_data(Code::unsupported_field, {"decoder_vocab_size", "28", "29"}, [&] {
    edited("marian", {{"\"decoder_vocab_size\": 29", "\"decoder_vocab_size\": 28"}});
  });
  expect_bad_data(Code::unsupported_field, {"layer_types", "full_attention"}, [&] {
    edited("smollm3", {{"\"full_attention\"", "\"sliding_attention\""}});
  });
}

TEST(ConfigConflict, GemmaRefusesTwoActivationsThatDiffer) {
  struct Fields {
    const char *family, *other;
  };
  for (const auto& [family, other] : {Fields{"gemma", "hidden_activation"}, Fields{"gemma2", "hidden_act"},
                                      Fields{"gemma3", "hidden_act"}}) {
    SCOPED_TRACE(family);
    const auto added = [&, family = family, other = other](const std::string& value) {
      edited(family, {{"\"model_type\"", fmt::format("\"{}\": \"{}\", \"model_type\"", other, value)}});
    };
    EXPECT_NO_THROW(added(std::string(activation_name(edited(family, {}).feed_forward.activation))));
    expect_bad_data({other, "'silu'"}, [&] { added("silu"); });
  }
}

TEST(ConfigConflict, RefusesASizeOfHeadsThatOnlyTheRotationWouldHave) {
  const auto added = [](const char* family, int size) {
    edited(family, {{"\"model_type\"", fmt::format("\"head_dim\": {}, \"model_type\"", size)}});
  };
  for (const char* family : {"neox", "phi", "stablelm", "gptj"}) {
    SCOPED_TRACE(family);
    const int64_t size = edited(family, {}).size_of_head();
    EXPECT_NO_THROW(added(family, static_cast<int>(size)));
    expect_bad_data({"head_dim", "2", fmt::format("{}", size).c_str()}, [&] { added(family, 2); });
  }
}

TEST(ConfigConflict, RefusesTwoNamesOfASizeThatDiffer) {
  struct Names {
    const char *family, *name, *second;
  };
  for (const auto& [family, name, second] :
       {Names{"gpt2", "n_head", "num_attention_heads"},
        Names{"gptj", "n_positions", "max_position_embeddings"},
        Names{"gpt-bigcode", "n_embd", "hidden_size"}, Names{"gpt-neo", "num_heads", "num_attention_heads"},
        Names{"bloom", "n_head", "num_attention_heads"}, Names{"bloom", "hidden_size", "n_embed"},
        Names{"falcon", "hidden_size", "n_embed"}, Names{"distilbert", "n_heads", "num_attention_heads"},
        Names{"mpt", "n_heads", "num_attention_heads"}, Names{"t5", "d_kv", "head_dim"},
        Names{"bart", "encoder_attention_heads", "num_attention_heads"},
        Names{"marian", "encoder_layers", "num_hidden_layers"}, Names{"pegasus", "d_model", "hidden_size"},
        Names{"m2m-100", "encoder_layers", "num_hidden_layers"}, Names{"mbart", "d_model", "hidden_size"}}) {
    SCOPED_TRACE(family);
    const int64_t size =
        Config(std::filesystem::path(LOCUS_GOLDEN) / "family" / family / "config.json").size(name);
    const auto read = [&, family = family, second = second](int64_t other) {
      edited(family, {{"\"vocab_size\"", fmt::format("\"{}\": {}, \"vocab_size\"", second, other)}});
    };
    EXPECT_NO_THROW(read(size));
    const std::string value = fmt::format("{}", size), different = fmt::format("{}", size + 1);
    expect_bad_data({name, second, value.c_str(), different.c_str()}, [&] { read(size + 1); });
  }
}

TEST(ConfigConflict, DebertaRefusesDistancesThatItsBucketsDoNotReach) {
  const auto read = [](int furthest) {
    return edited("deberta-v2", {{"\"max_relative_positions\": -1",
                                  fmt::format("\"max_relative_positions\": {}", furthest)}});
  };
  EXPECT_EQ(read(4).scheme_options.at("max_distance"), "4");
  expect_bad_data({"max_relative_positions", "3", "position_buckets", "4"}, [&] { read(3); });
}

TEST(ConfigConflict, DebertaRefusesAKindOfAttentionGivenTwice) {
  for (const char* family : {"deberta", "deberta-v2"}) {
    expect_bad_data({"pos_att_type", "c2p", "p2c", "once"}, [&] {
      edited(family, {{"\"pos_att_type\"", "\"pos_att_type\": [\"c2p\", \"c2p\"], \"unread\""}});
    });
  }
}

}  // namespace
}  // namespace locus
