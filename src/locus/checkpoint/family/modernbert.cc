// ModernBERT: a pre-norm encoder with gated feed-forward and rotary positions. Every third layer has global
// attention; the others have a sliding window and a rotation with a smaller base. Warner et al. 2024, arXiv
// 2412.13663.
#include <algorithm>

#include "locus/checkpoint/family.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("intermediate_size", b.feed_forward.hidden);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.eps("norm_eps", b.norms.eps, 1e-5);
  f.flag("norm_bias", b.norms.bias, false);
  f.flag("attention_bias", b.attention.output_bias, false);
  f.flag("mlp_bias", b.feed_forward.bias, false);
  f.flag("decoder_bias", b.head.bias, true);
  f.flag("classifier_bias", b.head.dense_bias, false);
  f.activation("hidden_activation", b.feed_forward.activation, "gelu");
  f.dropout("embedding_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

constexpr TwoRotations kRotations = {.global_base = "global_rope_theta",
                                     .sliding_base = "local_rope_theta",
                                     .global_preset = 160000,
                                     .sliding_preset = 10000};

// How far a layer with a window sees on either side. sliding_window is a second name for half of
// local_attention, and takes precedence in transformers.
int64_t reach_of(const Config& config) {
  const std::string_view total = "local_attention", half = "sliding_window";
  const int64_t reach = config.integer(total, 0, 1e9, 128) / 2;
  if (!config.has(half)) return reach;
  const int64_t given = config.integer(half, 0, 5e8);
  if (config.has(total) && given != reach)
    config.refuse(half, "but {} is {}, expected half of it", total, config.integer(total, 0, 1e9));
  return given;
}

void read(const Config& config, Blueprint& b) {
  b.kind = ModelKind::encoder;
  if (b.width % b.attention.heads != 0) {
    config.refuse("hidden_size", "expected a multiple of num_attention_heads = {}", b.attention.heads);
  }
  read_window(config, layer_kinds(config, {"global_attn_every_n_layers", 3, 0}, b.layers),
              reach_of(config) + 1, b);
  read_two_rotations(config, kRotations, b);
  b.embedding.norm = b.feed_forward.gated = b.attention.fused_qkv = true;
  b.norms.first = false;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias;
  b.head.dense = b.head.kind != HeadKind::none;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  const std::string pooling = config.text("classifier_pooling", "cls");
  if (pooling != "cls" && pooling != "mean") config.refuse("classifier_pooling", "expected cls or mean");
  if (b.head.kind == HeadKind::sequence_class)
    b.head.pooling = pooling == "mean" ? Pooling::mean : Pooling::first;
  if (b.head.dense && activation_of(config, "classifier_activation", "gelu") != b.feed_forward.activation) {
    config.refuse("classifier_activation", "expected the same as hidden_activation, {}",
                  activation_name(b.feed_forward.activation));
  }
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "attn_norm"},
    {"attention.out", "attn.Wo"},
    {"feed_forward_norm", "mlp_norm"},
    {"feed_forward.down", "mlp.Wo"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("model.embeddings.tok_embeddings.weight", "decoder.weight", b.head.tied);
  map.module("encoder.embedding.norm", "model.embeddings.norm");
  map.layers("encoder.layers", "model.layers", b.layers, kLayer);
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("encoder.layers", i), theirs = numbered("model.layers", i);
    map.qkv(ours + "attention", theirs + "attn.Wqkv");
    map.stacked({ours + "feed_forward.gate", ours + "feed_forward.up"}, theirs + "mlp.Wi");
  }
  map.module("encoder.norm", "model.final_norm");
  map.module("head.dense", "head.dense");
  map.module("head.dense_norm", "head.norm");
  map.tensor("head.bias", "decoder.bias");
  map.module("head.out", "classifier");
}

constexpr ModelType kTypes[] = {{"modernbert", "ModernBert"}};
constexpr std::string_view kPrefixes[] = {"model."};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(),
                 {{"local_attention", json::number(2 * std::max<int64_t>(b.attention.window - 1, 0))},
                  {"layer_types", layer_types(b)},
                  {"global_attn_every_n_layers", json::number(std::max<int64_t>(b.global.every, 1))},
                  {"classifier_pooling", json::text(b.head.pooling == Pooling::mean ? "mean" : "cls")},
                  {"classifier_activation", json::text(activation_name(b.feed_forward.activation))},
                  {"pad_token_id", padding_config(b)}});
  write_two_rotations(kRotations, b, members);
  for (const char* token : {"bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"}) {
    members.emplace_back(token, "null");
  }
  return members;
}

}  // namespace

extern const Family kModernbertFamily = {.name = "ModernBERT",
                                         .types = kTypes,
                                         .heads = kEncoderHeads,
                                         .prefixes = kPrefixes,
                                         .fields = fields,
                                         .read = read,
                                         .names = names,
                                         .config = config};

}  // namespace locus
