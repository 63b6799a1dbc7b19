// GPT-NeoX and Pythia: rotary positions on part of each head; attention and feed-forward in parallel, each
// with its own norm, or sequential. The fused matrix has query, key and value of each head together. Black et
// al. 2022, arXiv 2204.06745; Biderman et al. 2023, arXiv 2304.01373.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("intermediate_size", b.feed_forward.hidden);
  f.size("max_position_embeddings", b.max_length);
  f.eps("layer_norm_eps", b.norms.eps, 1e-5);
  f.activation("hidden_act", b.feed_forward.activation, "gelu");
  f.flag("attention_bias", b.attention.query_bias, true);
  f.dropout("hidden_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

// The class has its own names for the base and for the rotated part.
constexpr RotaryFields kRotary = {
    .base = "rotary_emb_base", .fraction = "rotary_pct", .fraction_preset = 0.25};

void read(const Config& config, Blueprint& b) {
  b.residual = config.flag("use_parallel_residual", true) ? Residual::parallel : Residual::sequential;
  b.attention.fused_qkv = true;
  b.attention.key_bias = b.attention.value_bias = b.attention.output_bias = b.attention.query_bias;
  read_rotary(config, kRotary, b);
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "input_layernorm"},
    {"attention.out", "attention.dense"},
    {"feed_forward_norm", "post_attention_layernorm"},
    {"feed_forward.up", "mlp.dense_h_to_4h"},
    {"feed_forward.down", "mlp.dense_4h_to_h"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("gpt_neox.embed_in.weight", "embed_out.weight", b.head.tied);
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("gpt_neox.layers", i);
    map.modules(ours, theirs, kLayer);
    map.qkv(ours + "attention", theirs + "attention.query_key_value", grouped(b));
  }
  map.module("decoder.norm", "gpt_neox.final_layer_norm");
  map.alias("embed_out.weight", "lm_head.weight");  // the name in transformers 5, but not in files
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"gpt_neox", "GPTNeoX"}};
constexpr std::string_view kPrefixes[] = {"gpt_neox."};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.emplace_back("use_parallel_residual", json::boolean(b.residual == Residual::parallel));
  write_rotary(kRotary, b, members);
  return members;
}

}  // namespace

extern const Family kNeoxFamily = {.name = "GPT-NeoX",
                                   .types = kTypes,
                                   .heads = kDecoderHeads,
                                   .prefixes = kPrefixes,
                                   .packs_by_position = true,
                                   .tied = false,
                                   .fields = fields,
                                   .read = read,
                                   .names = names,
                                   .config = config};

}  // namespace locus
