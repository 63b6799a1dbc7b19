// MPT: ALiBi, no biases in norms or elsewhere, a fused query-key-value matrix.
// MosaicML 2023.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("d_model", b.width);
  f.size("n_layers", b.layers);
  f.size("n_heads", b.attention.heads);
  f.size("max_seq_len", b.max_length, 2048);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-5);
}

// The original code of the models supports several values of these fields; transformers ignores the fields
// and supports one. Only a config on which both agree is unambiguous.
void expect_plain(const Config& config) {
  expect_flag(config, "no_bias", true);
  expect_flag(config, "attn_config.alibi", true);
  for (const std::string_view name :
       {"attn_config.qk_ln", "attn_config.prefix_lm", "attn_config.attn_uses_sequence_id"}) {
    expect_flag(config, name, false);
  }
  for (const auto& [name, value] :
       {std::pair("attn_config.alibi_bias_max", 8), std::pair("expansion_ratio", 4)}) {
    if (config.integer(name, 0, 1e9, value) != value) config.unsupported(name, "expected {}", value);
  }
  for (const std::string_view name : {"attn_config.clip_qkv", "logit_scale"}) {
    if (config.has(name)) config.unsupported(name, "expected null");
  }
  if (config.text("attn_config.attn_type", "multihead_attention") != "multihead_attention") {
    config.unsupported("attn_config.attn_type", "expected multihead_attention");
  }
  if (!config.text("norm_type", "layernorm").ends_with("layernorm")) {
    config.unsupported("norm_type", "expected low_precision_layernorm or layernorm");
  }
}

void read(const Config& config, Blueprint& b) {
  expect_plain(config);
  b.scheme = "alibi";
  b.attention.fused_qkv = true;
  b.norms.bias = b.attention.query_bias = b.attention.key_bias = b.attention.value_bias =
      b.attention.output_bias = b.feed_forward.bias = false;
  const auto scale = static_cast<float>(config.number("attn_config.softmax_scale", 0, 1e6, 0));
  if (scale > 0) b.attention.scale = scale;
  b.dropout = b.attention.dropout = static_cast<float>(config.number("attn_config.attn_pdrop", 0, 0.99, 0));
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "norm_1"},           {"attention.out", "attn.out_proj"},
    {"feed_forward_norm", "norm_2"},        {"feed_forward.up", "ffn.up_proj"},
    {"feed_forward.down", "ffn.down_proj"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("transformer.wte.weight", "lm_head.weight", b.head.tied);
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("transformer.blocks", i);
    map.modules(ours, theirs, kLayer);
    map.qkv(ours + "attention", theirs + "attn.Wqkv");
  }
  map.module("decoder.norm", "transformer.norm_f");
  map.module("head.out", label_module(b));
}

constexpr NamePair kSecondNames[] = {
    {"d_model", "hidden_size"}, {"n_layers", "num_hidden_layers"}, {"n_heads", "num_attention_heads"}};
constexpr ModelType kTypes[] = {{.name = "mpt", .classes = "Mpt", .old_classes = "MPT"}};
constexpr std::string_view kPrefixes[] = {"transformer."};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.emplace_back("attn_config",
                       json::object({{"softmax_scale", fraction(b.attention.scale.value_or(0))}}));
  return members;
}

}  // namespace

extern const Family kMptFamily = {.name = "MPT",
                                  .types = kTypes,
                                  .heads = kDecoderHeads,
                                  .prefixes = kPrefixes,
                                  .length_field = "max_seq_len",
                                  .second_names = kSecondNames,
                                  .fields = fields,
                                  .read = read,
                                  .names = names,
                                  .config = config};

}  // namespace locus
