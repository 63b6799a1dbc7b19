// Cohere's Command R and Command R7B (cohere2): Llama with layer norms, parallel attention and feed-forward
// with one norm, interleaved rotary pairs, and scaled logits. Command R7B has a sliding window, and its
// global-attention layers have no positions. Cohere 2025, arXiv 2504.00698.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.key_heads, b.heads);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.eps("layer_norm_eps", b.norm_eps, 1e-5);
  f.activation("hidden_act", b.activation, "silu");
  f.flag("attention_bias", b.output_bias, false);
  f.dropout("attention_dropout", b.attention_dropout, 0);
  f.scale("logit_scale", b.head_scale, 0.0625);
}

void read(const Config& config, Blueprint& b) {
  const bool second = config.text("model_type") == "cohere2";
  expect_flag(config, "use_qk_norm", false);
  b.norm_bias = b.hidden_bias = false;
  b.residual = Residual::parallel_one_norm;
  b.gated = true;
  b.query_bias = b.key_bias = b.value_bias = b.output_bias;
  b.padding_token = padding_of(config, 0, b.vocabulary);
  read_rotary(config, {.preset = second ? 1e4 : 5e5}, b);
  b.scheme_options["pairs"] = "interleaved";
  if (second) {
    read_nope_layers(config, layer_kinds(config, {"sliding_window_pattern", 4, 1}, b.layers),
                     config.integer("sliding_window", 1, 1e9, 4096), b);
  }
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kNorm[] = {{"attention_norm", "input_layernorm"}};
  llama::body_names(map, b, kNorm, llama::kGated);
}

constexpr ModelType kTypes[] = {{"cohere", "Cohere"}, {"cohere2", "Cohere2"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

json::Members config(const Blueprint& b) {
  const bool second = b.window > 0 || !b.global_scheme.empty();
  json::Members members = named(kTypes[second ? 1 : 0], b.head);
  members.emplace_back("pad_token_id", padding_config(b));
  write_rotary({}, b, members);
  if (second) {
    members.emplace_back("layer_types", layer_types(b));
    if (b.window > 0) members.emplace_back("sliding_window", json::number(b.window));
  }
  return members;
}

}  // namespace

extern const Family kCohereFamily = {.name = "Cohere",
                                     .types = kTypes,
                                     .heads = kHeads,
                                     .prefixes = llama::kPrefixes,
                                     .packs_by_position = true,
                                     .fields = fields,
                                     .read = read,
                                     .names = names,
                                     .config = config};

}  // namespace locus
