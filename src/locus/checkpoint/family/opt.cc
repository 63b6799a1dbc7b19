// OPT: learned positions that count real tokens; the table's first two rows stand for nothing.
// Zhang et al. 2022, arXiv 2205.01068.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("hidden_size");
  if (config.size("word_embed_proj_dim", b.width) != b.width) {
    config.refuse("word_embed_proj_dim", "but Locus has token rows of hidden_size only, {}", b.width);
  }
  b.layers = config.size("num_hidden_layers");
  b.heads = config.size("num_attention_heads");
  b.hidden = config.size("ffn_dim");
  b.max_length = config.size("max_position_embeddings");
  b.scheme = "learned";
  b.positions = PositionPolicy::Kind::count;
  b.position_offset = 2;
  b.padding_token = padding_of(config, 1, b.vocabulary);
  const bool before = config.flag("do_layer_norm_before", true);
  b.norm_place = before ? NormPlace::before : NormPlace::after;
  b.final_norm = before && !config.flag("_remove_final_layer_norm", false);
  b.activation = activation_of(config, "activation_function", "relu");
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = b.hidden_bias = config.flag("enable_bias", true);
  b.dropout = static_cast<float>(config.number("dropout", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  expect_flag(config, "layer_norm_elementwise_affine", true);
  return b;
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
  map.tensor("tokens", "model.decoder.embed_tokens.weight");
  if (b.tied) map.tie("model.decoder.embed_tokens.weight", "lm_head.weight");
  map.tensor("decoder.scheme.table", "model.decoder.embed_positions.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("decoder.layers", i), numbered("model.decoder.layers", i), kLayer);
  }
  map.module("decoder.norm", "model.decoder.final_layer_norm");
  map.tensor("head.weight", "lm_head.weight");
  map.module("head.out", b.head == HeadKind::answer ? "qa_outputs" : "score");
}

json::Members config(const Blueprint& b) {
  const bool before = b.norm_place == NormPlace::before;
  json::Members members = named("opt", "OPT", b.head);
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"hidden_size", json::number(b.width)},
                                 {"word_embed_proj_dim", json::number(b.width)},
                                 {"num_hidden_layers", json::number(b.layers)},
                                 {"num_attention_heads", json::number(b.heads)},
                                 {"ffn_dim", json::number(b.hidden)},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"do_layer_norm_before", json::boolean(before)},
                                 {"_remove_final_layer_norm", json::boolean(before && !b.final_norm)},
                                 {"activation_function", json::text(activation_name(b.activation))},
                                 {"enable_bias", json::boolean(b.hidden_bias)},
                                 {"dropout", json::number(b.dropout)},
                                 {"attention_dropout", json::number(b.attention_dropout)}});
  return members;
}

constexpr ModelType kTypes[] = {{"opt", "OPT"}};
constexpr std::string_view kPrefixes[] = {"model."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::answer};

}  // namespace

extern const Family kOptFamily = {.name = "OPT",
                                  .types = kTypes,
                                  .heads = kHeads,
                                  .prefixes = kPrefixes,
                                  .offset_added = true,
                                  .blueprint = blueprint,
                                  .names = names,
                                  .config = config};

}  // namespace locus
