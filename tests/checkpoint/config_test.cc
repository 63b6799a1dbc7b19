// config.json: what it holds, and what it must not.
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

TEST(Config, RefusesTextThatIsNoObject) {
  expect_bad_data("'config.json': is not valid JSON: ", [] { of(""); });
  expect_bad_data("'config.json': is not valid JSON: ", [] { of(R"({"a": NaN})"); });
  expect_bad_data("'config.json': is not valid JSON: ", [] { of(R"({"a": 1} x)"); });
  expect_bad_data("'config.json': is not valid JSON: ", [] { of("{\"a\": \"\xff\"}"); });
  expect_bad_data("'config.json': is not a JSON object", [] { of("[1, 2]"); });
  expect_bad_data("'config.json': is not valid JSON: ", [] { of(std::string(1000000, '[')); });
}

TEST(Config, NamesFieldValueAndExpectation) {
  const Config config =
      of(R"({"a": -1, "b": 1.5, "c": "x", "d": [1], "e": 1e30, "f": 18446744073709551615})");
  expect_bad_data("'config.json': has no z, expected a whole number from 1 to 16777216",
                  [&] { config.size("z"); });
  expect_bad_data("'config.json': a is -1, expected a whole number from 1 to 16777216",
                  [&] { config.size("a"); });
  expect_bad_data("'config.json': b is 1.5, expected a whole number", [&] { config.size("b"); });
  expect_bad_data("'config.json': c is 'x', expected a whole number", [&] { config.size("c"); });
  expect_bad_data("'config.json': d is a list of 1, expected a text", [&] { config.text("d"); });
  expect_bad_data("'config.json': e is 1e+30, expected a whole number", [&] { config.size("e"); });
  expect_bad_data("'config.json': f is ", [&] { config.size("f"); });
  expect_bad_data("'config.json': c is 'x', expected true or false", [&] { config.flag("c"); });
  expect_bad_data("'config.json': b is 1.5, expected a number from 0 to 1",
                  [&] { config.number("b", 0, 1); });
  expect_bad_data("'config.json': c is 'x', expected a list or an object", [&] { config.count("c"); });
}

struct ConfigFault {
  const char *family, *from, *to, *text;
};

constexpr ConfigFault kFaults[] = {
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 0", "hidden_size is 0, expected a whole number from 1"},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": -12",
     "hidden_size is -12, expected a whole number from 1"},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 1000000000",
     "hidden_size is 1000000000, expected a whole number from 1"},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 13", "width is 13, no multiple of heads, 3"},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": [12]",
     "hidden_size is a list of 1, expected a whole number"},
    {"bert", "\"hidden_size\": 12", "\"hidden_size\": 12000", "describes a model of at least "},
    {"bert", "\"vocab_size\": 29", "\"vocab_size\": 10000000", "describes a model of at least "},
    {"bert", "\"max_position_embeddings\": 14", "\"max_position_embeddings\": 16000000",
     "describes a model of at least "},
    {"bert", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 9999", "describes a model of at least "},
    {"bert", "\"vocab_size\": 29", "\"vocab_size\": 28",
     "is F32 [29, 12], expected F32, BF16, F16 or F64 [28, 12]"},
    {"bert", "\"model_type\": \"bert\"", "\"model_type\": \"brt\"",
     "model_type is 'brt', expected one of bert, roberta"},
    {"bert", "\"model_type\"", "\"quantization_config\": {\"bits\": 4}, \"model_type\"",
     "quantization_config is an object, but Locus reads weights as they were trained"},
    {"bert", "\"model_type\": \"bert\",", "", "has no model_type, expected a text"},
    {"bert", "BertForMaskedLM", "BertForChess",
     "architectures.0 is 'BertForChess', expected one of BertForSequenceClassification"},
    {"bert", "gelu_new", "mish", "hidden_act is 'mish', expected one of gelu, gelu_new"},
    {"bert", "\"is_decoder\": false", "\"is_decoder\": true",
     "is_decoder is true, but Locus computes such models with false only"},
    {"bert", "\"model_type\"", "\"position_embedding_type\": \"relative_key\", \"model_type\"",
     "position_embedding_type is 'relative_key', but Locus opens such models with absolute positions only"},
    {"llama", "\"head_dim\": 4", "\"head_dim\": 5",
     "5 elements of each head are rotated, expected an even number"},
    {"llama", "\"rope_theta\": 500.0", "\"rope_theta\": 0",
     "rope_parameters.rope_theta is 0, expected a number from 1 to"},
    {"llama", "\"rope_theta\": 500.0", "\"rope_theta\": -1",
     "rope_parameters.rope_theta is -1, expected a number from 1 to"},
    {"llama", "\"factor\": 4.0", "\"factor\": 0", "rope_parameters.factor is 0, expected a number from 1 to"},
    {"llama", "llama3", "spiral",
     "rope_parameters.rope_type is 'spiral', expected one of default, linear, dynamic, yarn, longrope, "
     "llama3"},
    {"llama", "\"high_freq_factor\": 4.0", "\"high_freq_factor\": 1.0",
     "option high_freq_factor is 1, expected more than low_freq_factor, which is 1"},
    {"llama", "llama3", "longrope", "option short_factor has 0 numbers, expected 2"},
    {"llama", "\"model_type\"", "\"rope_scaling\": 5, \"model_type\"",
     "rope_scaling is 5, expected an object"},
    {"qwen2", "\"factor\": 4.0", "\"factor\": 4.0, \"beta_fast\": 1, \"beta_slow\": 2",
     "option beta_fast is 1, expected at least beta_slow, which is 2"},
    {"qwen2", "\"factor\": 4.0", "\"factor\": 4.0, \"attention_factor\": 0",
     "rope_parameters.attention_factor is 0, expected a number from 1e-06"},
    {"llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3",
     "key_heads is 3, expected a divisor of heads, 4"},
    {"t5", "\"relative_attention_num_buckets\": 8", "\"relative_attention_num_buckets\": 1",
     "relative_attention_num_buckets is 1, expected a whole number from 4"},
    {"deberta-v2", "\"position_buckets\": 4", "\"position_buckets\": 1",
     "position_buckets is 1, expected at least 4"},
    {"deberta-v2", "\"position_biased_input\": false", "\"position_biased_input\": true",
     "position_biased_input is true, but with relative_attention"},
    {"deberta-v2", "\"model_type\"", "\"conv_kernel_size\": 3, \"model_type\"",
     "conv_kernel_size is 3, but Locus has no convolution"},
    {"opt", "\"word_embed_proj_dim\": 12", "\"word_embed_proj_dim\": 6",
     "word_embed_proj_dim is 6, but Locus has token rows of hidden_size only, 12"},
    {"marian", "MarianMTModel", "MarianForSequenceClassification",
     "architectures.0 is 'MarianForSequenceClassification', expected one of MarianForCausalLM, "},
    {"electra", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"relu\"",
     "hidden_act is 'relu', but the head for masked tokens has gelu"},
    {"albert", "\"num_hidden_groups\": 1", "\"num_hidden_groups\": 2",
     "num_hidden_groups is 2, but Locus has one layer for all: expected 1"},
    {"albert", "\"inner_group_num\": 1", "\"inner_group_num\": 3",
     "inner_group_num is 3, but Locus has one layer for all: expected 1"},
    {"albert", "\"embedding_size\": 8", "\"embedding_size\": 12",
     "embedding_size is 12, expected another than hidden_size"},
    {"modernbert", "\"classifier_activation\": \"gelu\"", "\"classifier_activation\": \"relu\"",
     "classifier_activation is 'relu', expected that of hidden_activation, gelu"},
    {"nomic-bert", "\"model_type\"", "\"qkv_proj_bias\": true, \"model_type\"",
     "qkv_proj_bias is true, but Locus computes such models with false only"},
    {"nomic-bert", "\"model_type\"", "\"rotary_scaling_factor\": 2, \"model_type\"",
     "rotary_scaling_factor is 2, but Locus does not know that scaling: expected null"},
    {"nomic-bert", "\"model_type\"", "\"rotary_emb_fraction\": 0.5, \"model_type\"",
     "rotary_emb_fraction is 0.5, expected 1"},
    {"nomic-bert", "\"hidden_act\"", "\"activation_function\": \"glu\", \"unread\"",
     "activation_function is 'glu', expected swiglu"},
    {"roformer", "\"rotary_value\": false", "\"rotary_value\": true",
     "rotary_value is true, but Locus computes such models with false only"},
    {"phi", "\"qk_layernorm\": false", "\"qk_layernorm\": true",
     "qk_layernorm is true, but Locus computes such models with false only"},
    {"phi3", "\"longrope\"", "\"linear\", \"factor\": 2", "expected longrope, which is all that Phi-3 has"},
    {"stablelm", "\"qk_layernorm\": false", "\"qk_layernorm\": true",
     "qk_layernorm is true, but Locus computes such models with false only"},
    {"smollm3", "\"use_sliding_window\": false", "\"use_sliding_window\": true",
     "use_sliding_window is true, but Locus computes such models with false only"},
    {"gpt2", "\"vocab_size\"", "\"is_causal\": false, \"vocab_size\"",
     "is_causal is false, but Locus computes such models with true only"},
    {"llama", "\"vocab_size\"", "\"is_causal\": false, \"vocab_size\"",
     "is_causal is false, which Locus computes of a model without a head and without a window"},
    {"granite", "\"attention_multiplier\": 0.2", "\"attention_multiplier\": 0",
     "attention_multiplier is 0, expected"},
    {"granite", "\"logits_scaling\": 4.0", "\"logits_scaling\": 0", "logits_scaling is 0, expected"},
    {"cohere", "\"use_qk_norm\": false", "\"use_qk_norm\": true",
     "use_qk_norm is true, but Locus computes such models with false only"},
    {"gemma3", "\"attn_logit_softcapping\": null", "\"attn_logit_softcapping\": 30.0",
     "attn_logit_softcapping is 30, which transformers reads and leaves: expected null"},
    {"gemma2", "\"attn_logit_softcapping\": 1.5", "\"attn_logit_softcapping\": 0",
     "attn_logit_softcapping is 0, expected"},
    {"mpt", "\"alibi_bias_max\": 8", "\"alibi_bias_max\": 16",
     "attn_config.alibi_bias_max is 16, expected 8"},
    {"mpt", "\"alibi\": true", "\"alibi\": false",
     "attn_config.alibi is false, but Locus computes such models with true only"},
    {"mpt", "\"clip_qkv\": null", "\"clip_qkv\": 6",
     "attn_config.clip_qkv is 6, but Locus computes such models without it: expected null"},
    {"mpt", "multihead_attention", "multiquery_attention",
     "attn_config.attn_type is 'multiquery_attention', expected multihead_attention"},
    {"mpt", "low_precision_layernorm", "rmsnorm", "norm_type is 'rmsnorm', expected low_precision_layernorm"},
    {"falcon", "\"alibi\": false", "\"alibi\": true",
     "alibi is true, but Locus computes such models with false only"},
    {"falcon", "\"parallel_attn\": true", "\"parallel_attn\": false",
     "parallel_attn is false, but Locus computes such models with true only"},
    {"falcon", "\"new_decoder_architecture\": true", "\"new_decoder_architecture\": false",
     "num_ln_in_parallel_attn is 2, but new_decoder_architecture is false: expected 1"},
    {"modernbert-class", "\"classifier_pooling\": \"mean\"", "\"classifier_pooling\": \"max\"",
     "classifier_pooling is 'max', expected cls or mean"},
    {"modernbert", "\"model_type\"",
     "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}, \"model_type\"",
     "rope_scaling is an object, beside rope_parameters: expected one of them"},
    {"gpt-bigcode", "\"add_cross_attention\": false", "\"add_cross_attention\": true",
     "add_cross_attention is true, but Locus computes such models with false only"},
    {"gptj", "\"rotary_dim\": 4", "\"rotary_dim\": 3", "rotary_dim is 3, expected an even number"},
};

TEST(Config, EveryFaultInItIsRefusedByName) {
  for (const auto& [family, from, to, text] : kFaults) {
    SCOPED_TRACE(to);
    const FolderOf folder(family);
    folder.change(from, to);
    folder.expect_refused({"config.json", text});
  }
}

TEST(Config, ThatNamesAnUnknownModelIsNotGuessedAt) {
  const FolderOf folder("neox");
  folder.change("\"model_type\": \"gpt_neox\"", "\"model_type\": \"gpt_neox_japanese\"");
  try {
    open_model(folder.path());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(
        std::string_view(error.what()).ends_with("opt, t5, mt5, bart, marian, mbart, m2m_100, pegasus"))
        << error.what();
  }
}

TEST(Config, MustBeThere) {
  const FolderOf folder("bert");
  fs::remove(folder / "config.json");
  expect_error(Fault::io, {"config.json"}, [&] { open_model(folder.path()); });
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
  EXPECT_EQ(open_model(folder.path()).architecture.blueprint.head, HeadKind::next_token);
}

TEST(Config, HeadsOfAlibiNeedBeNoPowerOfTwo) {
  EXPECT_EQ(open_model(fs::path(LOCUS_GOLDEN) / "family/bloom").architecture.blueprint.heads, 3);
}

}  // namespace
}  // namespace locus
