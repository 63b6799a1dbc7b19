// Cohere's Command R and Command R7B (cohere2): Llama with layer norms, parallel attention and feed-forward
// with one norm, interleaved rotary pairs, and scaled logits. Command R7B has a sliding window, and its
// global-attention layers have no positions. Cohere 2025, arXiv 2504.00698.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads, b.attention.heads);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.eps("layer_norm_eps", b.norms.eps, 1e-5);
  f.activation("hidden_act", b.feed_forward.activation, "silu");
  f.flag("attention_bias", b.attention.output_bias, false);
  f.dropout("attention_dropout", b.attention.dropout, 0);
  f.scale("logit_scale", b.head.scale, 0.0625);
}

void read(const Config& config, Blueprint& b) {
  const bool second = config.text("model_type") == "cohere2";
  expect_flag(config, "use_qk_norm", false);
  b.norms.bias = b.feed_forward.bias = false;
  b.residual = Residual::parallel_one_norm;
  b.feed_forward.gated = true;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias;
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
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
  const bool second = b.attention.window > 0 || !b.global.scheme.empty();
  json::Members members = named(kTypes[second ? 1 : 0], b.head.kind);
  members.emplace_back("pad_token_id", padding_config(b));
  write_rotary({}, b, members);
  if (second) {
    members.emplace_back("layer_types", layer_types(b));
    if (b.attention.window > 0) members.emplace_back("sliding_window", json::number(b.attention.window));
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
