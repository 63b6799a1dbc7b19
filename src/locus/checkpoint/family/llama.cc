// Llama, Mistral, Qwen2: rotary positions, RMS norms before, gated feed-forward, keys and values shared by
// groups of heads. Mistral looks back through a window, Qwen2 has biases on queries, keys and values.
// Touvron et al. 2023, arXiv 2302.13971; Jiang et al. 2023, arXiv 2310.06825; Yang et al. 2024, arXiv
// 2407.10671.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

// Qwen2 windows the layers from max_window_layers on, where it windows any at all.
int64_t window_of(const Config& config, const std::string& type, int64_t layers) {
  if (type == "mistral") return config.integer("sliding_window", 1, 1e9, 0);
  if (type != "qwen2" || !config.flag("use_sliding_window", false) || !config.has("sliding_window")) return 0;
  const int64_t full = config.integer("max_window_layers", 0, 1e9, 28);
  if (full >= layers) return 0;
  if (full > 0)
    config.refuse("max_window_layers", "but Locus has one window for all {} layers: expected 0", layers);
  return config.integer("sliding_window", 1, 1e9);
}

Blueprint blueprint(const Config& config, HeadKind head) {
  const std::string type = config.text("model_type");
  Blueprint b;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("hidden_size");
  b.layers = config.size("num_hidden_layers");
  b.heads = config.size("num_attention_heads");
  b.key_heads = config.size("num_key_value_heads", b.heads);
  if (!config.has("head_dim") && b.width % b.heads != 0) {
    config.refuse("hidden_size", "expected a multiple of num_attention_heads, {}, or head_dim", b.heads);
  }
  b.head_size = config.size("head_dim", b.width / b.heads);
  b.hidden = config.size("intermediate_size");
  b.max_length = config.integer("max_position_embeddings", 1, 1e9);
  b.window = window_of(config, type, b.layers);
  b.norm = NormKind::rms;
  b.norm_eps = static_cast<float>(config.number("rms_norm_eps", 0, 1, 1e-6));
  b.activation = activation_of(config, "hidden_act", "silu");
  b.gated = true;
  b.padding_token = padding_of(config, {}, b.vocabulary);
  b.output_bias = type == "llama" && config.flag("attention_bias", false);
  b.query_bias = b.key_bias = b.value_bias = type == "qwen2" || b.output_bias;
  b.hidden_bias = type == "llama" && config.flag("mlp_bias", false);
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", false);
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  read_rotary(config, b.head_size, b);
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "input_layernorm"},  {"attention.query", "self_attn.q_proj"},
    {"attention.key", "self_attn.k_proj"},  {"attention.value", "self_attn.v_proj"},
    {"attention.out", "self_attn.o_proj"},  {"feed_forward_norm", "post_attention_layernorm"},
    {"feed_forward.gate", "mlp.gate_proj"}, {"feed_forward.up", "mlp.up_proj"},
    {"feed_forward.down", "mlp.down_proj"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "model.embed_tokens.weight");
  if (b.tied) map.tie("model.embed_tokens.weight", "lm_head.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("decoder.layers", i), numbered("model.layers", i), kLayer);
  }
  map.module("decoder.norm", "model.norm");
  map.tensor("head.weight", "lm_head.weight");
  map.module("head.out", b.head == HeadKind::answer ? "qa_outputs" : "score");
}

json::Members config(const Blueprint& b) {
  const bool qwen = b.query_bias && !b.output_bias;
  const char *type = qwen           ? "qwen2"
                     : b.window > 0 ? "mistral"
                                    : "llama",
             *classes = qwen           ? "Qwen2"
                        : b.window > 0 ? "Mistral"
                                       : "Llama";
  json::Members members = named(type, classes, b.head);
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"hidden_size", json::number(b.width)},
                                 {"num_hidden_layers", json::number(b.layers)},
                                 {"num_attention_heads", json::number(b.heads)},
                                 {"num_key_value_heads", json::number(b.key_heads)},
                                 {"head_dim", json::number(b.head_size)},
                                 {"intermediate_size", json::number(b.hidden)},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"sliding_window", b.window > 0 ? json::number(b.window) : "null"},
                                 {"rms_norm_eps", json::number(b.norm_eps)},
                                 {"hidden_act", json::text(activation_name(b.activation))},
                                 {"attention_bias", json::boolean(b.output_bias)},
                                 {"mlp_bias", json::boolean(b.hidden_bias)},
                                 {"attention_dropout", json::number(b.attention_dropout)},
                                 {"rope_parameters", rotary_config(b)},
                                 {"bos_token_id", "null"},
                                 {"eos_token_id", "null"}});
  if (qwen) {
    members.emplace_back("use_sliding_window", json::boolean(b.window > 0));
    members.emplace_back("max_window_layers", "0");
  }
  return members;
}

constexpr ModelType kTypes[] = {{"llama", "Llama"}, {"mistral", "Mistral"}, {"qwen2", "Qwen2"}};
constexpr std::string_view kPrefixes[] = {"model.", "transformer."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kLlamaFamily = {.name = "Llama",
                                    .types = kTypes,
                                    .heads = kHeads,
                                    .prefixes = kPrefixes,
                                    .blueprint = blueprint,
                                    .names = names,
                                    .config = config};

}  // namespace locus
