// config.json: valid contents and errors.
#include "locus/checkpoint/config.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/folder_of.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

Config of(std::string_view json) { return Config(json, "config.json"); }

TEST(Config, ReadsNestedValuesByDottedNames) {
  const Config config =
      of(R"({"a": {"b": 3, "c": [1.5, 2]}, "n": null, "t": "x", "f": true, "whole": 512.0})");
  EXPECT_EQ(config.integer("a.b", 0, 9), 3);
  EXPECT_EQ(config.numbers("a.c"), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(config.text("t"), "x");
  EXPECT_TRUE(config.flag("f"));
  EXPECT_EQ(config.size("whole"), 512);
  EXPECT_FALSE(config.has("n"));
  EXPECT_EQ(config.integer("n", 0, 9, 7), 7);
  EXPECT_TRUE(config.is_object("a"));
  EXPECT_TRUE(config.is_list("a.c"));
  EXPECT_EQ(config.count("a.c"), 2);
  EXPECT_EQ(config.count("nothing"), 0);
}

TEST(Config, TakesTheLastOfTwoValuesAsPythonDoes) {
  const Config config = of(R"({"a": 1, "b": {"c": 1}, "a": 2, "b": null})");
  EXPECT_EQ(config.integer("a", 0, 9), 2);
  EXPECT_FALSE(config.is_object("b"));
  const Config whole = of(R"({"b": {"c": 1, "d": 2}, "b": {"c": 3}})");
  EXPECT_EQ(whole.integer("b.c", 0, 9), 3);
  EXPECT_FALSE(whole.has("b.d"));
  EXPECT_EQ(whole.count("b"), 1);
}

TEST(Config, ANameWithADotIsNotNested) {
  const Config config = of(R"({"a.b": 1, "c": {"d.e": "x", "d": {"e": "y"}}})");
  EXPECT_FALSE(config.has("a.b"));
  EXPECT_EQ(config.text("c.d.e"), "y");
  EXPECT_EQ(of(R"({"c": {"d.e": "x"}})").members("c"), (std::map<std::string, std::string>{{"d.e", "x"}}));
}

// Every element once had its full dotted name in memory: half a million times half a megabyte here.
TEST(Config, ALongNameBeforeALongListTakesMemoryInProportion) {
  std::string json = "{\"" + std::string(500'000, 'k') + "\": [";
  for (int i = 0; i < 500'000; ++i) json += "1,";
  const Config config = of(json + "1], \"a\": 2}");
  EXPECT_EQ(config.integer("a", 0, 9), 2);
  EXPECT_EQ(config.count(std::string(500'000, 'k')), 500'001);
}

TEST(Config, RefusesTextThatIsNoObject) {
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON"}, [] { of(""); });
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON"}, [] { of(R"({"a": NaN})"); });
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON"}, [] { of(R"({"a": 1} x)"); });
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON"}, [] { of("{\"a\": \"\xff\"}"); });
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON object"}, [] { of("[1, 2]"); });
  expect_bad_data(Code::damaged_file, {"'config.json'", "JSON"}, [] { of(std::string(1000000, '[')); });
}

TEST(Config, NamesFieldValueAndExpectation) {
  const Config config =
      of(R"({"a": -1, "b": 1.5, "c": "x", "d": [1], "e": 1e30, "f": 18446744073709551615})");
  expect_bad_data({"'config.json'", "z", "1", "16777216"}, [&] { config.size("z"); });
  expect_bad_data({"'config.json'", "a", "-1", "1", "16777216"}, [&] { config.size("a"); });
  expect_bad_data({"'config.json'", "b", "1.5", "whole number"}, [&] { config.size("b"); });
  expect_bad_data({"'config.json'", "c", "'x'", "whole number"}, [&] { config.size("c"); });
  expect_bad_data({"'config.json'", "d", "list", "1", "string"}, [&] { config.text("d"); });
  expect_bad_data({"'config.json'", "e", "1e+30", "whole number"}, [&] { config.size("e"); });
  expect_bad_data({"'config.json'", "f"}, [&] { config.size("f"); });
  expect_bad_data({"'config.json'", "c", "'x'", "true", "false"}, [&] { config.flag("c"); });
  expect_bad_data({"'config.json'", "b", "1.5", "0", "1"}, [&] { config.number("b", 0, 1); });
  expect_bad_data({"'config.json'", "c", "'x'", "list", "object"}, [&] { config.count("c"); });
}

struct ConfigFault {
  const char *family, *from, *to;
  Values values;
  Code code = Code::none;
};

const ConfigFault kFaults[] = {
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 0", {"hidden_size", "0", "1"}},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": -12", {"hidden_size", "-12", "1"}},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 1000000000", {"hidden_size", "1000000000", "1"}},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 13", {"width is 13", "heads = 3"}},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": [12]", {"hidden_size", "list", "1", "whole number"}},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 12000", {"at least"}},
    {"bert", "\"vocab_size\": 29", "\"vocab_size\": 10000000", {"at least"}},
    {"bert", "\"max_position_embeddings\": 14", "\"max_position_embeddings\": 16000000", {"at least"}},
    {"bert", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 9999", {"at least"}},
    {"bert", "\"vocab_size\": 29", "\"vocab_size\": 28", {"F32 [29, 12]", "F32, BF16, F16 or F64 [28, 12]"}},
    {"bert",
     "\"model_type\": \"bert\"",
     "\"model_type\": \"brt\"",
     {"model_type", "'brt'", "bert, roberta"},
     Code::unknown_family},
    {"bert",
     "\"model_type\"",
     "\"quantization_config\": {\"bits\": 4}, \"model_type\"",
     {"quantization_config", "object", "F32", "BF16", "F16", "F64"},
     Code::unsupported_field},
    {"bert", "\"model_type\": \"bert\",", "", {"model_type", "string"}},
    {"bert",
     "BertForMaskedLM",
     "BertForChess",
     {"architectures.0", "'BertForChess'", "BertForSequenceClassification"},
     Code::unsupported_field},
    {"bert", "gelu_new", "mish", {"hidden_act", "'mish'", "gelu, gelu_new"}},
    {"bert",
     "\"is_decoder\": false",
     "\"is_decoder\": true",
     {"is_decoder", "true", "false"},
     Code::unsupported_field},
    {"bert",
     "\"model_type\"",
     "\"position_embedding_type\": \"relative_key\", \"model_type\"",
     {"position_embedding_type", "'relative_key'", "absolute"},
     Code::unsupported_field},
    {"llama", "\"head_dim\": 4", "\"head_dim\": 5", {"5", "even"}},
    {"llama", "\"rope_theta\": 500.0", "\"rope_theta\": 0", {"rope_parameters.rope_theta", "0", "1"}},
    {"llama", "\"rope_theta\": 500.0", "\"rope_theta\": -1", {"rope_parameters.rope_theta", "-1", "1"}},
    {"llama", "\"factor\": 4.0", "\"factor\": 0", {"rope_parameters.factor", "0", "1"}},
    {"llama",
     "llama3",
     "spiral",
     {"rope_parameters.rope_type", "'spiral'", "default, linear, dynamic, yarn, longrope, llama3"},
     Code::unsupported_field},
    {"llama",
     "\"high_freq_factor\": 4.0",
     "\"high_freq_factor\": 1.0",
     {"high_freq_factor is 1", "low_freq_factor = 1"}},
    {"llama", "llama3", "longrope", {"short_factor", "0", "2"}},
    {"llama", "\"model_type\"", "\"rope_scaling\": 5, \"model_type\"", {"rope_scaling", "5", "object"}},
    {"qwen2",
     "\"factor\": 4.0",
     "\"factor\": 4.0, \"beta_fast\": 1, \"beta_slow\": 2",
     {"beta_fast is 1", "beta_slow = 2"}},
    {"qwen2",
     "\"factor\": 4.0",
     "\"factor\": 4.0, \"attention_factor\": 0",
     {"rope_parameters.attention_factor", "0", "1e-06"}},
    {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", {"key_heads is 3", "heads = 4"}},
    {"t5",
     "\"relative_attention_num_buckets\": 8",
     "\"relative_attention_num_buckets\": 1",
     {"relative_attention_num_buckets", "1", "4"}},
    {"deberta-v2", "\"position_buckets\": 4", "\"position_buckets\": 1", {"position_buckets", "1", "4"}},
    {"bart",
     "\"decoder_attention_heads\": 3",
     "\"decoder_attention_heads\": 5",
     {"width is 12", "heads = 5"}},
    {"deberta-v2",
     "\"model_type\"",
     "\"conv_kernel_size\": 3, \"model_type\"",
     {"conv_kernel_size", "3", "0"},
     Code::unsupported_field},
    {"opt",
     "\"word_embed_proj_dim\": 12",
     "\"word_embed_proj_dim\": 6",
     {"word_embed_proj_dim", "6", "hidden_size", "12"},
     Code::unsupported_field},
    {"marian",
     "MarianMTModel",
     "MarianForSequenceClassification",
     {"architectures.0", "'MarianForSequenceClassification'", "MarianForCausalLM"},
     Code::unsupported_field},
    {"electra",
     "\"hidden_act\": \"gelu\"",
     "\"hidden_act\": \"relu\"",
     {"hidden_act", "'relu'", "gelu"},
     Code::unsupported_field},
    {"albert",
     "\"num_hidden_groups\": 1",
     "\"num_hidden_groups\": 2",
     {"num_hidden_groups", "2", "1"},
     Code::unsupported_field},
    {"albert",
     "\"inner_group_num\": 1",
     "\"inner_group_num\": 3",
     {"inner_group_num", "3", "1"},
     Code::unsupported_field},
    {"albert",
     "\"embedding_size\": 8",
     "\"embedding_size\": 12",
     {"embedding_size", "12", "hidden_size"},
     Code::unsupported_field},
    {"modernbert",
     "\"classifier_activation\": \"gelu\"",
     "\"classifier_activation\": \"relu\"",
     {"classifier_activation", "'relu'", "hidden_activation", "gelu"}},
    {"nomic-bert",
     "\"model_type\"",
     "\"qkv_proj_bias\": true, \"model_type\"",
     {"qkv_proj_bias", "true", "false"},
     Code::unsupported_field},
    {"nomic-bert",
     "\"model_type\"",
     "\"rotary_scaling_factor\": 2, \"model_type\"",
     {"rotary_scaling_factor", "2", "null"},
     Code::unsupported_field},
    {"nomic-bert",
     "\"model_type\"",
     "\"rotary_emb_fraction\": 0.5, \"model_type\"",
     {"rotary_emb_fraction", "0.5", "1"},
     Code::unsupported_field},
    {"nomic-bert",
     "\"hidden_act\"",
     "\"activation_function\": \"glu\", \"unread\"",
     {"activation_function", "'glu'", "swiglu"},
     Code::unsupported_field},
    {"roformer",
     "\"rotary_value\": false",
     "\"rotary_value\": true",
     {"rotary_value", "true", "false"},
     Code::unsupported_field},
    {"phi",
     "\"qk_layernorm\": false",
     "\"qk_layernorm\": true",
     {"qk_layernorm", "true", "false"},
     Code::unsupported_field},
    {"phi3", "\"longrope\"", "\"linear\", \"factor\": 2", {"linear", "longrope"}, Code::unsupported_field},
    {"stablelm",
     "\"qk_layernorm\": false",
     "\"qk_layernorm\": true",
     {"qk_layernorm", "true", "false"},
     Code::unsupported_field},
    {"smollm3",
     "\"use_sliding_window\": false",
     "\"use_sliding_window\": true",
     {"use_sliding_window", "true", "false"},
     Code::unsupported_field},
    {"gpt2",
     "\"vocab_size\"",
     "\"is_causal\": false, \"vocab_size\"",
     {"is_causal", "false", "true"},
     Code::unsupported_field},
    {"llama",
     "\"vocab_size\"",
     "\"is_causal\": false, \"vocab_size\"",
     {"is_causal", "false", "true"},
     Code::unsupported_field},
    {"granite",
     "\"attention_multiplier\": 0.2",
     "\"attention_multiplier\": 0",
     {"attention_multiplier", "0"}},
    {"granite", "\"logits_scaling\": 4.0", "\"logits_scaling\": 0", {"logits_scaling", "0"}},
    {"cohere",
     "\"use_qk_norm\": false",
     "\"use_qk_norm\": true",
     {"use_qk_norm", "true", "false"},
     Code::unsupported_field},
    {"gemma3",
     "\"attn_logit_softcapping\": null",
     "\"attn_logit_softcapping\": 30.0",
     {"attn_logit_softcapping", "30", "null"},
     Code::unsupported_field},
    {"gemma2",
     "\"attn_logit_softcapping\": 1.5",
     "\"attn_logit_softcapping\": 0",
     {"attn_logit_softcapping", "0"}},
    {"mpt",
     "\"alibi_bias_max\": 8",
     "\"alibi_bias_max\": 16",
     {"attn_config.alibi_bias_max", "16", "8"},
     Code::unsupported_field},
    {"mpt",
     "\"alibi\": true",
     "\"alibi\": false",
     {"attn_config.alibi", "false", "true"},
     Code::unsupported_field},
    {"mpt",
     "\"clip_qkv\": null",
     "\"clip_qkv\": 6",
     {"attn_config.clip_qkv", "6", "null"},
     Code::unsupported_field},
    {"mpt",
     "multihead_attention",
     "multiquery_attention",
     {"attn_config.attn_type", "'multiquery_attention'", "multihead_attention"},
     Code::unsupported_field},
    {"mpt",
     "low_precision_layernorm",
     "rmsnorm",
     {"norm_type", "'rmsnorm'", "low_precision_layernorm"},
     Code::unsupported_field},
    {"falcon", "\"alibi\": false", "\"alibi\": true", {"alibi", "true", "false"}, Code::unsupported_field},
    {"falcon",
     "\"parallel_attn\": true",
     "\"parallel_attn\": false",
     {"parallel_attn", "false", "true"},
     Code::unsupported_field},
    {"falcon",
     "\"new_decoder_architecture\": true",
     "\"new_decoder_architecture\": false",
     {"num_ln_in_parallel_attn", "2", "1", "new_decoder_architecture"}},
    {"modernbert-class",
     "\"classifier_pooling\": \"mean\"",
     "\"classifier_pooling\": \"max\"",
     {"classifier_pooling", "'max'", "cls", "mean"}},
    {"gpt-bigcode",
     "\"add_cross_attention\": false",
     "\"add_cross_attention\": true",
     {"add_cross_attention", "true", "false"},
     Code::unsupported_field},
    {"gptj", "\"rotary_dim\": 4", "\"rotary_dim\": 3", {"rotary_dim", "3", "even"}},
};

TEST(Config, EveryFaultInItIsRefusedByName) {
  for (const auto& [family, from, to, values, code] : kFaults) {
    SCOPED_TRACE(to);
    const FolderOf folder(family);
    folder.change(from, to);
    Values all = values;
    all.emplace_back("config.json");
    expect_bad_data(code, all, [&] { open_model(folder.path()); });
  }
}

TEST(Config, AnUnknownModelTypeGetsNoSuggestion) {
  const FolderOf folder("neox");
  folder.change("\"model_type\": \"gpt_neox\"", "\"model_type\": \"gpt_neox_japanese\"");
  try {
    open_model(folder.path());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unknown_family);
    EXPECT_TRUE(error.hint().empty()) << error.hint();
    expect_named(error, {"'gpt_neox_japanese'", "opt, t5, mt5, bart, marian, mbart, m2m_100, pegasus"});
  }
}

TEST(Config, MustExist) {
  const FolderOf folder("bert");
  fs::remove(folder / "config.json");
  expect_error(Fault::io, Code::missing_file, {"config.json"}, [&] { open_model(folder.path()); });
}

TEST(Config, CodeInItIsIgnored) {
  const FolderOf folder("bert");
  folder.change("\"model_type\"",
                R"("auto_map": {"AutoModel": "evil.py--Evil"}, "chat_template": "{{ x }}", "model_type")");
  EXPECT_NO_THROW(open_model(folder.path()));
}

TEST(Config, MayNameClassesAsTheFirstFilesDid) {
  const FolderOf folder("mpt");
  folder.change("MptForCausalLM", "MPTForCausalLM");
  EXPECT_EQ(open_model(folder.path()).architecture.blueprint.head.kind, HeadKind::next_token);
}

TEST(Config, HeadsOfAlibiNeedBeNoPowerOfTwo) {
  EXPECT_EQ(open_model(fs::path(LOCUS_GOLDEN) / "family/bloom").architecture.blueprint.attention.heads, 3);
}

}  // namespace
}  // namespace locus
