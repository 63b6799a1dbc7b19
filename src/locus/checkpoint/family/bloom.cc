// BLOOM: ALiBi, a norm after the embeddings, and a fused matrix with query, key and value of each head
// together. Le Scao et al. 2022, arXiv 2211.05100.
#include "locus/checkpoint/family/bloom.h"

namespace locus {

void bloom::names(NameMap& map, const Blueprint& b, std::span<const NamePair> norms) {
  constexpr NamePair kWeights[] = {{"attention.out", "self_attention.dense"},
                                   {"feed_forward.up", "mlp.dense_h_to_4h"},
                                   {"feed_forward.down", "mlp.dense_4h_to_h"}};
  map.tokens("transformer.word_embeddings.weight", "lm_head.weight", b.head.tied);
  map.module("decoder.embedding.norm", "transformer.word_embeddings_layernorm");
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("transformer.h", i);
    map.modules(ours, theirs, norms);
    map.modules(ours, theirs, kWeights);
    map.qkv(ours + "attention", theirs + "self_attention.query_key_value", grouped(b));
  }
  map.module("decoder.norm", "transformer.ln_f");
  map.module("head.out", label_module(b));
}

namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size(f.either("n_embed", "hidden_size"), b.width);
  f.size(f.either("n_layer", "num_hidden_layers"), b.layers);
  f.size(f.either("n_head", "num_attention_heads"), b.attention.heads);
  f.size("seq_length", b.max_length, 2048);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-5);
  f.dropout("hidden_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void read(const Config& config, Blueprint& b) {
  b.scheme = "alibi";
  b.positions = PositionPolicy::Kind::count;
  b.embedding.norm = true;
  b.feed_forward.activation = Activation::gelu_tanh;
  b.attention.fused_qkv = true;
  expect_flag(config, "apply_residual_connection_post_layernorm", false);
  // With both, transformers adds up slices of the matrices and leaves out their biases.
  const bool exact = config.flag("slow_but_exact", false);
  if (config.integer("pretraining_tp", 0, 1e6, 1) > 1 && exact)
    config.unsupported("slow_but_exact", "expected false");
}

void names(NameMap& map, const Blueprint& b) { bloom::names(map, b, bloom::kNorms); }

constexpr NamePair kSecondNames[] = {
    {"hidden_size", "n_embed"}, {"n_layer", "num_hidden_layers"}, {"n_head", "num_attention_heads"}};
constexpr ModelType kTypes[] = {{"bloom", "Bloom"}};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kBloomFamily = {.name = "BLOOM",
                                    .types = kTypes,
                                    .heads = kDecoderHeads,
                                    .prefixes = bloom::kPrefixes,
                                    .second_names = kSecondNames,
                                    .fields = fields,
                                    .read = read,
                                    .names = names,
                                    .config = config};

}  // namespace locus
