// Llama, Mistral, Qwen2, Qwen3: rotary positions, RMS pre-norms, gated feed-forward, grouped key and value
// heads (GQA). Mistral has a sliding window, Qwen2 has biases on queries, keys and values, Qwen3 has QK norms
// per head. Touvron et al. 2023, arXiv 2302.13971; Jiang et al. 2023, arXiv 2310.06825; Yang et al. 2024,
// arXiv 2407.10671; Yang et al. 2025, arXiv 2505.09388.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace llama {

void sizes(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("intermediate_size", b.feed_forward.hidden);
}

void fields(ConfigFields& f, Blueprint& b) { fields(f, b, 1e-6); }

void fields(ConfigFields& f, Blueprint& b, double eps) {
  sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads, b.attention.heads);
  f.eps("rms_norm_eps", b.norms.eps, eps);
  f.activation("hidden_act", b.feed_forward.activation, "silu");
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void read_body(Blueprint& b) {
  b.norms.kind = NormKind::rms;
  b.feed_forward.gated = true;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias;
}

void body_names(NameMap& map, const Blueprint& b, std::span<const NamePair> norms,
                std::span<const NamePair> feed_forward) {
  constexpr NamePair kAttention[] = {
      {"attention.query", "self_attn.q_proj"},      {"attention.key", "self_attn.k_proj"},
      {"attention.value", "self_attn.v_proj"},      {"attention.out", "self_attn.o_proj"},
      {"attention.query_norm", "self_attn.q_norm"}, {"attention.key_norm", "self_attn.k_norm"},
  };
  const std::string stack = b.kind == ModelKind::encoder ? "encoder" : "decoder";
  map.tokens("model.embed_tokens.weight", "lm_head.weight", b.head.tied);
  for (const std::span<const NamePair> modules :
       {std::span<const NamePair>(kAttention), norms, feed_forward}) {
    map.layers(stack + ".layers", "model.layers", b.layers, modules);
  }
  map.module(stack + ".norm", "model.norm");
  map.module("head.out", b.head.kind == HeadKind::token_class ? "score" : label_module(b));
}

}  // namespace llama

namespace {

// In Qwen, layer_types defines the sliding-window layers; without it they are those from max_window_layers
// on.
void read_qwen_window(const Config& config, std::optional<int64_t> window, Blueprint& b) {
  LayerKinds kinds = {"layer_types", config.texts("layer_types")};
  const std::string_view count = "max_window_layers";
  const int64_t first_windowed = config.integer(count, 0, 1e9, 28);
  if (!config.flag("use_sliding_window", false) || !window) return;
  if (kinds.words.empty()) {
    kinds.field = count;
    for (int64_t i = 0; i < b.layers; ++i)
      kinds.words.emplace_back(i < first_windowed ? kinds.global : kinds.windowed);
  }
  read_window(config, kinds, *window, b);
}

void read_windows(const Config& config, const std::string& type, Blueprint& b) {
  if (type == "llama") return;
  std::optional<int64_t> window;
  if (!config.is_null("sliding_window")) window = config.integer("sliding_window", 1, 1e9, 4096);
  if (type == "mistral") {
    b.attention.window = window.value_or(0);
  } else {
    read_qwen_window(config, window, b);
  }
}

// Embedding models based on Llama have is_causal false: bidirectional attention.
void read_direction(const Config& config, Blueprint& b) {
  if (flag_not_null(config, "is_causal", true)) return;
  if (b.head.kind != HeadKind::none || b.attention.window > 0) {
    config.unsupported("is_causal", "expected true for a model with a head or a sliding window");
  }
  b.kind = ModelKind::encoder;
}

void read(const Config& config, Blueprint& b) {
  const std::string type = config.text("model_type");
  b.attention.head_norms = type == "qwen3";
  if (!b.attention.head_norms && !config.has("head_dim") && b.width % b.attention.heads != 0) {
    config.refuse("hidden_size", "expected a multiple of num_attention_heads = {}, or an explicit head_dim",
                  b.attention.heads);
  }
  b.attention.head_size = config.size("head_dim", b.attention.head_norms ? 128 : b.width / b.attention.heads);
  b.max_length = config.integer("max_position_embeddings", 1, 1e9);
  read_windows(config, type, b);
  read_direction(config, b);
  b.norms.kind = NormKind::rms;
  b.feed_forward.gated = true;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  // transformers ignores both fields for Mistral and Qwen2, and the second one for Qwen3.
  const bool biases = config.flag("attention_bias", false), hidden_bias = config.flag("mlp_bias", false);
  b.attention.output_bias = (type == "llama" || b.attention.head_norms) && biases;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias =
      type == "qwen2" || b.attention.output_bias;
  b.feed_forward.bias = type == "llama" && hidden_bias;
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

constexpr ModelType kTypes[] = {
    {"llama", "Llama"}, {"mistral", "Mistral"}, {"qwen2", "Qwen2"}, {"qwen3", "Qwen3"}};

json::Members config(const Blueprint& b) {
  const bool qwen = b.attention.head_norms || (b.attention.query_bias && !b.attention.output_bias);
  json::Members members = named(kTypes[b.attention.head_norms   ? 3
                                       : qwen                   ? 2
                                       : b.attention.window > 0 ? 1
                                                                : 0],
                                b.head.kind);
  members.insert(members.end(), {{"head_dim", json::number(b.size_of_head())},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"sliding_window", window_config(b)},
                                 {"attention_bias", json::boolean(b.attention.output_bias)},
                                 {"mlp_bias", json::boolean(b.feed_forward.bias)}});
  write_rotary({}, b, members);
  if (b.kind == ModelKind::encoder) members.emplace_back("is_causal", "false");
  if (qwen) {
    members.emplace_back("use_sliding_window", json::boolean(b.attention.window > 0));
    members.emplace_back("max_window_layers", "0");
    members.emplace_back("layer_types", layer_types(b));
  }
  return members;
}

}  // namespace

extern const Family kLlamaFamily = {.name = "Llama",
                                    .types = kTypes,
                                    .heads = kDecoderHeads,
                                    .prefixes = llama::kPrefixes,
                                    .packs_by_position = true,
                                    .tied = false,
                                    .fields = llama::fields,
                                    .read = read,
                                    .names = names,
                                    .config = config};

}  // namespace locus
