// StarCoder2: Llama with layer norms, biases, feed-forward without a gate, and optionally a sliding window.
// Lozhkov et al. 2024, arXiv 2402.19173.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.key_heads, 2);
  f.size("max_position_embeddings", b.max_length, 4096);
  f.eps("norm_epsilon", b.norm_eps, 1e-5);
  f.activation("hidden_act", b.activation, "gelu_pytorch_tanh");
  f.flag("use_bias", b.hidden_bias, true);
  f.dropout("residual_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention_dropout, 0);
}

void read(const Config& config, Blueprint& b) {
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = b.hidden_bias;
  b.padding_token = padding_of(config, {}, b.vocabulary);
  if (config.has("sliding_window")) b.window = config.integer("sliding_window", 1, 1e9);
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kFeedForward[] = {{"feed_forward.up", "mlp.c_fc"}, {"feed_forward.down", "mlp.c_proj"}};
  llama::body_names(map, b, llama::kNorms, kFeedForward);
}

constexpr ModelType kTypes[] = {{"starcoder2", "Starcoder2"}};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head);
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
