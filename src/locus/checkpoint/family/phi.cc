// Phi-1, 1.5 and 2: rotary positions on part of each head; parallel attention and feed-forward with one norm;
// an output head with a bias. Gunasekar et al. 2023, arXiv 2306.11644; Li et al. 2023, arXiv 2309.05463.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::sizes(f, b);
  f.size("num_key_value_heads", b.attention.key_heads, b.attention.heads);
  f.size("max_position_embeddings", b.max_length, 2048);
  f.eps("layer_norm_eps", b.norms.eps, 1e-5);
  f.activation("hidden_act", b.feed_forward.activation, "gelu_new");
  f.dropout("resid_pdrop", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

constexpr RotaryFields kRotary = {.fraction = "partial_rotary_factor", .fraction_preset = 0.5};

void read(const Config& config, Blueprint& b) {
  expect_flag(config, "qk_layernorm", false);
  b.residual = Residual::parallel_one_norm;
  b.head.bias = true;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  read_rotary(config, kRotary, b);
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "input_layernorm"}, {"attention.query", "self_attn.q_proj"},
    {"attention.key", "self_attn.k_proj"}, {"attention.value", "self_attn.v_proj"},
    {"attention.out", "self_attn.dense"},  {"feed_forward.up", "mlp.fc1"},
    {"feed_forward.down", "mlp.fc2"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("model.embed_tokens.weight", "lm_head.weight", b.head.tied);
  map.layers("decoder.layers", "model.layers", b.layers, kLayer);
  map.module("decoder.norm", "model.final_layernorm");
  map.tensor("head.bias", "lm_head.bias");
  map.module("head.out", "score");
}

constexpr ModelType kTypes[] = {{"phi", "Phi"}};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.emplace_back("embd_pdrop", json::number(b.dropout));
  write_rotary(kRotary, b, members);
  return members;
}

}  // namespace

extern const Family kPhiFamily = {.name = "Phi",
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
