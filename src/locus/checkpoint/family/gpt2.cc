// GPT-2: learned positions that count padding, pre-norm, a fused query-key-value matrix. Its weights are
// stored as [in, out]. Radford et al. 2019.
#include "locus/checkpoint/family/gpt2.h"

namespace locus {

void gpt2::fields(ConfigFields& f, Blueprint& b, double dropout) {
  f.size("n_embd", b.width);
  f.size("n_layer", b.layers);
  f.size("n_head", b.attention.heads);
  f.size("n_inner", b.feed_forward.hidden, 4 * b.width);
  f.size("n_positions", b.max_length);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-5);
  f.activation("activation_function", b.feed_forward.activation, "gelu_new");
  f.dropout("resid_pdrop", b.dropout, dropout);
  f.dropout("attn_pdrop", b.attention.dropout, dropout);
}

void gpt2::read(const Config& config, Blueprint& b) {
  b.scheme = "learned";
  b.attention.fused_qkv = true;
  if (!config.flag("scale_attn_weights", true)) b.attention.scale = 1;
  expect_flag(config, "add_cross_attention", false);
}

void gpt2::names(NameMap& map, const Blueprint& b, const Layout& weights, const Layout& qkv) {
  constexpr NamePair kNorms[] = {{"attention_norm", "ln_1"}, {"feed_forward_norm", "ln_2"}};
  constexpr NamePair kWeights[] = {
      {"attention.out", "attn.c_proj"}, {"feed_forward.up", "mlp.c_fc"}, {"feed_forward.down", "mlp.c_proj"}};
  map.tokens("transformer.wte.weight", "lm_head.weight", b.head.tied);
  map.tensor("decoder.scheme.table", "transformer.wpe.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("transformer.h", i);
    map.modules(ours, theirs, kNorms);
    map.qkv(ours + "attention", theirs + "attn.c_attn", qkv);
    map.modules(ours, theirs, kWeights, weights);
  }
  map.module("decoder.norm", "transformer.ln_f");
  map.module("head.out", label_module(b));
}

json::Members gpt2::config(const ModelType& type, const Blueprint& b) {
  json::Members members = named(type, b.head.kind);
  members.insert(members.end(), {{"scale_attn_weights", json::boolean(b.attention.scale != 1)},
                                 {"embd_pdrop", json::number(b.dropout)}});
  return members;
}

namespace {

void fields(ConfigFields& f, Blueprint& b) { gpt2::fields(f, b, 0.1); }

void read(const Config& config, Blueprint& b) {
  gpt2::read(config, b);
  expect_flag(config, "scale_attn_by_inverse_layer_idx", false);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr Layout kLayout = {.transposed = true};
  gpt2::names(map, b, kLayout, kLayout);
}

constexpr ModelType kTypes[] = {{"gpt2", "GPT2", "LMHeadModel"}};

json::Members config(const Blueprint& b) { return gpt2::config(kTypes[0], b); }

}  // namespace

extern const Family kGpt2Family = {.name = "GPT-2",
                                   .types = kTypes,
                                   .heads = kDecoderHeads,
                                   .prefixes = gpt2::kPrefixes,
                                   .length_field = "n_positions",
                                   .segments_are_tokens = true,
                                   .packs_by_position = true,
                                   .second_names = gpt2::kSecondNames,
                                   .fields = fields,
                                   .read = read,
                                   .names = names,
                                   .config = config};

}  // namespace locus
