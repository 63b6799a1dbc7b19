// OPT: learned positions that count real tokens; the first two rows of the table are unused.
// Zhang et al. 2022, arXiv 2205.01068.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("ffn_dim", b.feed_forward.hidden);
  f.size("max_position_embeddings", b.max_length);
  f.activation("activation_function", b.feed_forward.activation, "relu");
  f.flag("enable_bias", b.feed_forward.bias, true);
  f.dropout("dropout", b.dropout, 0.1);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void read(const Config& config, Blueprint& b) {
  if (config.size("word_embed_proj_dim", b.width) != b.width) {
    config.unsupported("word_embed_proj_dim", "expected hidden_size, {}", b.width);
  }
  b.scheme = "learned";
  b.positions = PositionPolicy::Kind::count;
  b.position_offset = 2;
  b.embedding.padding_token = padding_of(config, 1, b.vocabulary);
  const bool before = config.flag("do_layer_norm_before", true);
  b.norms.place = before ? NormPlace::before : NormPlace::after;
  const bool removed = config.flag("_remove_final_layer_norm", false);
  b.norms.final = before && !removed;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias;
  expect_flag(config, "layer_norm_elementwise_affine", true);
}

constexpr NamePair kLayer[] = {
    {"attention.query", "self_attn.q_proj"},
    {"attention.key", "self_attn.k_proj"},
    {"attention.value", "self_attn.v_proj"},
    {"attention.out", "self_attn.out_proj"},
    {"attention_norm", "self_attn_layer_norm"},
    {"feed_forward.up", "fc1"},
    {"feed_forward.down", "fc2"},
    {"feed_forward_norm", "final_layer_norm"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("model.decoder.embed_tokens.weight", "lm_head.weight", b.head.tied);
  map.tensor("decoder.scheme.table", "model.decoder.embed_positions.weight");
  map.layers("decoder.layers", "model.decoder.layers", b.layers, kLayer);
  map.module("decoder.norm", "model.decoder.final_layer_norm");
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"opt", "OPT"}};
constexpr std::string_view kPrefixes[] = {"model."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::answer};

json::Members config(const Blueprint& b) {
  const bool before = b.norms.place == NormPlace::before;
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"word_embed_proj_dim", json::number(b.width)},
                                 {"do_layer_norm_before", json::boolean(before)},
                                 {"_remove_final_layer_norm", json::boolean(before && !b.norms.final)}});
  return members;
}

}  // namespace

extern const Family kOptFamily = {.name = "OPT",
                                  .types = kTypes,
                                  .heads = kHeads,
                                  .prefixes = kPrefixes,
                                  .offset_added = true,
                                  .fields = fields,
                                  .read = read,
                                  .names = names,
                                  .config = config};

}  // namespace locus
