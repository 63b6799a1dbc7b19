// StarCoder2: Llama with layer norms, biases, feed-forward without a gate, and optionally a sliding window.
// Lozhkov et al. 2024, arXiv 2402.19173.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads, 2);
  f.size("max_position_embeddings", b.max_length, 4096);
  f.eps("norm_epsilon", b.norms.eps, 1e-5);
  f.activation("hidden_act", b.feed_forward.activation, "gelu_pytorch_tanh");
  f.flag("use_bias", b.feed_forward.bias, true);
  f.dropout("residual_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void read(const Config& config, Blueprint& b) {
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  if (config.has("sliding_window")) b.attention.window = config.integer("sliding_window", 1, 1e9);
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kFeedForward[] = {{"feed_forward.up", "mlp.c_fc"}, {"feed_forward.down", "mlp.c_proj"}};
  llama::body_names(map, b, llama::kNorms, kFeedForward);
}

constexpr ModelType kTypes[] = {{"starcoder2", "Starcoder2"}};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(),
                 {{"sliding_window", window_config(b)}, {"embedding_dropout", json::number(b.dropout)}});
  write_rotary({}, b, members);
  return members;
}

}  // namespace

extern const Family kStarcoder2Family = {.name = "StarCoder2",
                                         .types = kTypes,
                                         .heads = llama::kHeads,
                                         .prefixes = llama::kPrefixes,
                                         .packs_by_position = true,
                                         .fields = fields,
                                         .read = read,
                                         .names = names,
                                         .config = config};

}  // namespace locus
