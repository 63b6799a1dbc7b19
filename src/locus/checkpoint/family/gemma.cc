// Gemma: Llama with norms whose weights are added to one, and token rows scaled by sqrt(width). Gemma 3 also
// norms every head's queries and keys and what layers add, and sees all keys in every sixth layer, with a
// rotation of its own there; read in both directions it is an encoder.
// Gemma Team 2024, arXiv 2403.08295; 2025, arXiv 2503.19786.
#include <algorithm>
#include <cmath>

#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void shared_fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.key_heads);
  f.size("head_dim", b.head_size, 256);
  f.eps("rms_norm_eps", b.norm_eps, 1e-6);
  f.flag("attention_bias", b.output_bias, false);
  f.dropout("attention_dropout", b.attention_dropout, 0);
}

void fields(ConfigFields& f, Blueprint& b) {
  shared_fields(f, b);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.activation("hidden_act", b.activation, "gelu_pytorch_tanh");
}

void fields3(ConfigFields& f, Blueprint& b) {
  shared_fields(f, b);
  f.size("max_position_embeddings", b.max_length, 131072);
  f.activation("hidden_activation", b.activation, "gelu_pytorch_tanh");
}

// What the two have in common; and whether it reads in both directions.
bool read_body(const Config& config, Blueprint& b) {
  b.norm = NormKind::rms_from_one;
  b.gated = true;
  b.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(b.width)));
  b.hidden_bias = false;
  b.query_bias = b.key_bias = b.value_bias = b.output_bias;
  b.padding_token = padding_of(config, 0, b.vocabulary);
  const bool both = config.flag("use_bidirectional_attention", false);
  if (both) b.kind = ModelKind::encoder;
  return both;
}

void read(const Config& config, Blueprint& b) {
  expect_flag(config, "use_bidirectional_attention", false);  // of this one transformers' ways differ
  read_body(config, b);
  // What the first releases called gelu is its approximation.
  if (b.activation == Activation::gelu) b.activation = Activation::gelu_tanh;
  read_rotary(config, b.head_size, b);
}

void read3(const Config& config, Blueprint& b) {
  const bool both = read_body(config, b);
  for (const std::string_view name : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (config.has(name)) config.refuse(name, "but Locus does not bend scores: expected null");
  }
  b.head_norms = true;
  b.norm_place = NormPlace::around;
  b.attention_scale =
      static_cast<float>(1 / std::sqrt(config.number("query_pre_attn_scalar", 1e-6, 1e9, 256)));
  const int64_t window = config.integer("sliding_window", 1, 1e9, 4096);
  read_window(config, layer_kinds(config, {"sliding_window_pattern", 6, 1}, b.layers),
              both ? window / 2 + 1 : window, b);
  read_two_rotations(config,
                     {.full_base = "rope_theta",
                      .sliding_base = "rope_local_base_freq",
                      .full_preset = 1e6,
                      .sliding_preset = 1e4,
                      .scales_both = false},
                     b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

void names3(NameMap& map, const Blueprint& b) {
  // What is a norm of the sum in the others is one of what attention adds.
  constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                 {"attention_out_norm", "post_attention_layernorm"},
                                 {"feed_forward_norm", "pre_feedforward_layernorm"},
                                 {"feed_forward_out_norm", "post_feedforward_layernorm"}};
  llama::body_names(map, b, kNorms, llama::kGated);
}

constexpr ModelType kTypes[] = {{"gemma", "Gemma"}};
constexpr ModelType kTypes3[] = {{"gemma3_text", "Gemma3", "ForCausalLM", "TextModel"}};
constexpr HeadKind kHeads3[] = {HeadKind::none, HeadKind::next_token};

json::Members config_with(const ModelType& type, const Blueprint& b) {
  json::Members members = named(type, b.head);
  members.insert(members.end(), {{"use_bidirectional_attention", json::boolean(b.kind == ModelKind::encoder)},
                                 {"pad_token_id", json::number(std::max<int64_t>(b.padding_token, 0))}});
  return members;
}

json::Members config(const Blueprint& b) {
  json::Members members = config_with(kTypes[0], b);
  members.emplace_back("rope_parameters", rotary_config(b));
  return members;
}

json::Members config3(const Blueprint& b) {
  json::Members members = config_with(kTypes3[0], b);
  const double scale =
      static_cast<double>(b.attention_scale);  // what has no whole number shows when read back
  const int64_t window = std::max<int64_t>(b.window, 1);
  members.insert(members.end(),
                 {{"query_pre_attn_scalar", json::number(int64_t{std::lround(1 / (scale * scale))})},
                  {"sliding_window", json::number(b.kind == ModelKind::encoder ? 2 * (window - 1) : window)},
                  {"layer_types", layer_types(b)},
                  {"rope_parameters", two_rotations_config(b)},
                  {"final_logit_softcapping", "null"},
                  {"attn_logit_softcapping", "null"}});
  return members;
}

}  // namespace

extern const Family kGemmaFamily = {.name = "Gemma",
                                    .types = kTypes,
                                    .heads = llama::kHeads,
                                    .prefixes = llama::kPrefixes,
                                    .fields = fields,
                                    .read = read,
                                    .names = names,
                                    .config = config};

extern const Family kGemma3Family = {.name = "Gemma 3",
                                     .types = kTypes3,
                                     .heads = kHeads3,
                                     .prefixes = llama::kPrefixes,
                                     .fields = fields3,
                                     .read = read3,
                                     .names = names3,
                                     .config = config3};

}  // namespace locus
