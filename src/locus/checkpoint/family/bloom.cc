// BLOOM: ALiBi, a norm behind the embeddings, queries, keys and values of a head together.
// Le Scao et al. 2022, arXiv 2211.05100.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

// The first of two names that is there: old files have the one, newer ones the other.
std::string_view either(const Config& config, std::string_view first, std::string_view second) {
  return config.has(first) ? first : second;
}

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size(either(config, "n_embed", "hidden_size"));
  b.layers = config.size(either(config, "n_layer", "num_hidden_layers"));
  b.heads = config.size(either(config, "n_head", "num_attention_heads"));
  b.max_length = config.size("seq_length", 2048);
  b.scheme = "alibi";
  b.positions = PositionPolicy::Kind::count;
  b.embedding_norm = true;
  b.norm_eps = static_cast<float>(config.number("layer_norm_epsilon", 0, 1, 1e-5));
  b.activation = Activation::gelu_tanh;
  b.fused_qkv = true;
  b.dropout = static_cast<float>(config.number("hidden_dropout", 0, 0.99, 0));
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  expect_flag(config, "apply_residual_connection_post_layernorm", false);
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "input_layernorm"},
    {"attention.out", "self_attention.dense"},
    {"feed_forward_norm", "post_attention_layernorm"},
    {"feed_forward.up", "mlp.dense_h_to_4h"},
    {"feed_forward.down", "mlp.dense_4h_to_h"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "transformer.word_embeddings.weight");
  if (b.tied) map.tie("transformer.word_embeddings.weight", "lm_head.weight");
  map.module("decoder.embedding.norm", "transformer.word_embeddings_layernorm");
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("transformer.h", i);
    map.modules(ours, theirs, kLayer);
    map.qkv(ours + "attention", theirs + "self_attention.query_key_value", {.heads = b.heads});
  }
  map.module("decoder.norm", "transformer.ln_f");
  map.tensor("head.weight", "lm_head.weight");
  map.module("head.out", b.head == HeadKind::answer           ? "qa_outputs"
                         : b.head == HeadKind::sequence_class ? "score"
                                                              : "classifier");
}

json::Members config(const Blueprint& b) {
  json::Members members = named("bloom", "Bloom", b.head);
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"hidden_size", json::number(b.width)},
                                 {"n_layer", json::number(b.layers)},
                                 {"n_head", json::number(b.heads)},
                                 {"seq_length", json::number(b.max_length)},
                                 {"layer_norm_epsilon", json::number(b.norm_eps)},
                                 {"hidden_dropout", json::number(b.dropout)},
                                 {"attention_dropout", json::number(b.attention_dropout)},
                                 {"bos_token_id", "null"},
                                 {"eos_token_id", "null"}});
  return members;
}

constexpr ModelType kTypes[] = {{"bloom", "Bloom"}};
constexpr std::string_view kPrefixes[] = {"transformer."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kBloomFamily = {.name = "BLOOM",
                                    .types = kTypes,
                                    .heads = kHeads,
                                    .prefixes = kPrefixes,
                                    .blueprint = blueprint,
                                    .names = names,
                                    .config = config};

}  // namespace locus
