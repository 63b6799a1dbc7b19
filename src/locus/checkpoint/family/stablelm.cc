// StableLM: Llama with layer norms, and rotary positions on part of each head; attention and feed-forward may
// be parallel with one norm. Bellagente et al. 2024, arXiv 2402.17834.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads, 32);
  f.size("max_position_embeddings", b.max_length, 4096);
  f.eps("layer_norm_eps", b.norms.eps, 1e-5);
  f.activation("hidden_act", b.feed_forward.activation, "silu");
  f.flag("use_qkv_bias", b.attention.query_bias, false);
  f.dropout("hidden_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

constexpr RotaryFields kRotary = {.fraction = "partial_rotary_factor", .fraction_preset = 0.25};

void read(const Config& config, Blueprint& b) {
  expect_flag(config, "qk_layernorm", false);
  const bool parallel = config.flag("use_parallel_residual", false);
  b.residual = parallel ? Residual::parallel_one_norm : Residual::sequential;
  b.feed_forward.gated = true;
  b.attention.key_bias = b.attention.value_bias = b.attention.query_bias;
  b.attention.output_bias = b.feed_forward.bias = false;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  read_rotary(config, kRotary, b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

constexpr ModelType kTypes[] = {{"stablelm", "StableLm"}};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  const bool parallel = b.residual == Residual::parallel_one_norm;
  members.emplace_back("use_parallel_residual", json::boolean(parallel));
  write_rotary(kRotary, b, members);
  return members;
}

}  // namespace

extern const Family kStablelmFamily = {.name = "StableLM",
                                       .types = kTypes,
                                       .heads = llama::kHeads,
                                       .prefixes = llama::kPrefixes,
                                       .packs_by_position = true,
                                       .tied = false,
                                       .fields = fields,
                                       .read = read,
                                       .names = names,
                                       .config = config};

}  // namespace locus
