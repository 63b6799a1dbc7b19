// Gemma: Llama with norms that scale by 1 + weight, and token embeddings scaled by sqrt(width). Gemma 2 also
// normalizes the outputs of attention and feed-forward, caps scores and logits, and has global attention in
// every second layer. Gemma 3 has QK norms per head instead of the cap on scores, and global attention in
// every sixth layer, with a different rotation there. With bidirectional attention it is an encoder. Gemma
// Team 2024, arXiv 2403.08295 and 2408.00118; 2025, arXiv 2503.19786.
#include <algorithm>
#include <cmath>

#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void shared_fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads);
  f.size("head_dim", b.attention.head_size, 256);
  f.eps("rms_norm_eps", b.norms.eps, 1e-6);
  f.flag("attention_bias", b.attention.output_bias, false);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void fields(ConfigFields& f, Blueprint& b) {
  shared_fields(f, b);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.activation("hidden_act", b.feed_forward.activation, "gelu_pytorch_tanh");
}

void later_fields(ConfigFields& f, Blueprint& b, int64_t longest) {
  shared_fields(f, b);
  f.size("max_position_embeddings", b.max_length, longest);
  f.activation("hidden_activation", b.feed_forward.activation, "gelu_pytorch_tanh");
}

void fields2(ConfigFields& f, Blueprint& b) { later_fields(f, b, 8192); }
void fields3(ConfigFields& f, Blueprint& b) { later_fields(f, b, 131072); }

// The settings that all versions share. Returns whether attention is bidirectional.
bool read_body(const Config& config, Blueprint& b) {
  b.norms.kind = NormKind::rms_from_one;
  b.feed_forward.gated = true;
  b.embedding.scale = static_cast<float>(std::sqrt(static_cast<double>(b.width)));
  b.feed_forward.bias = false;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias;
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  const bool both = config.flag("use_bidirectional_attention", false);
  if (both) b.kind = ModelKind::encoder;
  return both;
}

// Files may have both hidden_act, which transformers reads for Gemma 1, and hidden_activation, which it reads
// for Gemma 2 and 3.
void expect_same_activation(const Config& config, const char* other, const Blueprint& b) {
  if (config.has(other) && activation_of(config, other, {}) != b.feed_forward.activation)
    config.refuse(other, "expected the activation of the model, {}",
                  activation_name(b.feed_forward.activation));
}

void read(const Config& config, Blueprint& b) {
  expect_flag(config, "use_bidirectional_attention", false);  // the implementations in transformers disagree
  read_body(config, b);
  // In the first releases "gelu" means the tanh approximation.
  if (config.text("hidden_act", "") == "gelu") b.feed_forward.activation = Activation::gelu_tanh;
  expect_same_activation(config, "hidden_activation", b);
  read_rotary(config, {}, b);
}

constexpr const char *kScoreCap = "attn_logit_softcapping", *kLogitCap = "final_logit_softcapping";

// null means no cap.
float cap_of(const Config& config, const char* field, double preset) {
  if (config.is_null(field) || (preset == 0 && !config.has(field))) return 0;
  return static_cast<float>(config.number(field, 1e-6, 1e6, preset));
}

// The settings that Gemma 2 and 3 share.
void read_later(const Config& config, Blueprint& b) {
  expect_same_activation(config, "hidden_act", b);
  b.norms.place = NormPlace::around;
  b.attention.scale =
      static_cast<float>(1 / std::sqrt(config.number("query_pre_attn_scalar", 1e-6, 1e9, 256)));
}

void read2(const Config& config, Blueprint& b) {
  expect_flag(config, "use_bidirectional_attention", false);
  read_body(config, b);
  read_later(config, b);
  b.attention.cap = cap_of(config, kScoreCap, 50);
  b.head.cap = cap_of(config, kLogitCap, 30);
  read_window(config, layer_kinds(config, {"sliding_window_pattern", 2, 1, true}, b.layers),
              config.integer("sliding_window", 1, 1e9, 4096), b);
  read_rotary(config, {}, b);
}

constexpr TwoRotations kRotations3 = {.global_base = "rope_theta",
                                      .sliding_base = "rope_local_base_freq",
                                      .global_preset = 1e6,
                                      .sliding_preset = 1e4,
                                      .scales_both = false};

void read3(const Config& config, Blueprint& b) {
  const bool both = read_body(config, b);
  if (both && (config.has("is_causal") || config.is_null("is_causal")))
    config.unsupported("is_causal", "expected no such field: it changes windows of bidirectional attention");
  read_later(config, b);
  if (config.has(kScoreCap))
    config.unsupported(kScoreCap, "expected null: transformers ignores it for Gemma 3");
  b.head.cap = cap_of(config, kLogitCap, 0);
  b.attention.head_norms = true;
  const int64_t window = config.integer("sliding_window", 1, 1e9, 4096);
  read_window(config, layer_kinds(config, {"sliding_window_pattern", 6, 1}, b.layers),
              both ? window / 2 + 1 : window, b);
  read_two_rotations(config, kRotations3, b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

void later_names(NameMap& map, const Blueprint& b) {
  // In Gemma 2 and 3 post_attention_layernorm normalizes the output of attention, not the residual sum.
  constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                 {"attention_out_norm", "post_attention_layernorm"},
                                 {"feed_forward_norm", "pre_feedforward_layernorm"},
                                 {"feed_forward_out_norm", "post_feedforward_layernorm"}};
  llama::body_names(map, b, kNorms, llama::kGated);
}

constexpr ModelType kTypes[] = {{"gemma", "Gemma"}};
constexpr ModelType kTypes2[] = {{"gemma2", "Gemma2"}};
constexpr ModelType kTypes3[] = {{"gemma3_text", "Gemma3", "ForCausalLM", "TextModel"}};
constexpr HeadKind kHeads3[] = {HeadKind::none, HeadKind::next_token};

json::Members config_with(const ModelType& type, const Blueprint& b) {
  json::Members members = named(type, b.head.kind);
  members.insert(members.end(),
                 {{"use_bidirectional_attention", json::boolean(b.kind == ModelKind::encoder)},
                  {"pad_token_id", json::number(int64_t{b.embedding.padding_token.value_or(0)})}});
  return members;
}

json::Members config(const Blueprint& b) {
  json::Members members = config_with(kTypes[0], b);
  write_rotary({}, b, members);
  return members;
}

std::string cap_config(float cap) { return cap > 0 ? fraction(cap) : "null"; }

json::Members later_config(const ModelType& type, const Blueprint& b) {
  json::Members members = config_with(type, b);
  // A scale that the number cannot represent shows up as a difference when it is read back.
  const auto scale = static_cast<double>(b.attention.scale.value_or(0));
  const int64_t window = std::max<int64_t>(b.attention.window, 1);
  members.insert(members.end(),
                 {{"query_pre_attn_scalar", json::number(int64_t{std::lround(1 / (scale * scale))})},
                  {"sliding_window", json::number(b.kind == ModelKind::encoder ? 2 * (window - 1) : window)},
                  {"layer_types", layer_types(b)},
                  {kLogitCap, cap_config(b.head.cap)}});
  return members;
}

json::Members config2(const Blueprint& b) {
  json::Members members = later_config(kTypes2[0], b);
  members.emplace_back(kScoreCap, cap_config(b.attention.cap));
  write_rotary({}, b, members);
  return members;
}

json::Members config3(const Blueprint& b) {
  json::Members members = later_config(kTypes3[0], b);
  members.emplace_back(kScoreCap, "null");
  write_two_rotations(kRotations3, b, members);
  return members;
}

}  // namespace

extern const Family kGemmaFamily = {.name = "Gemma",
                                    .types = kTypes,
                                    .heads = llama::kHeads,
                                    .prefixes = llama::kPrefixes,
                                    .packs_by_position = true,
                                    .fields = fields,
                                    .read = read,
                                    .names = names,
                                    .config = config};

extern const Family kGemma2Family = {.name = "Gemma 2",
                                     .types = kTypes2,
                                     .heads = llama::kHeads,
                                     .prefixes = llama::kPrefixes,
                                     .packs_by_position = true,
                                     .fields = fields2,
                                     .read = read2,
                                     .names = later_names,
                                     .config = config2};

extern const Family kGemma3Family = {.name = "Gemma 3",
                                     .types = kTypes3,
                                     .heads = kHeads3,
                                     .prefixes = llama::kPrefixes,
                                     .packs_by_position = true,
                                     .fields = fields3,
                                     .read = read3,
                                     .names = later_names,
                                     .config = config3};

}  // namespace locus
