// NomicBERT: BERT with rotary positions instead of a table, gated feed-forward, and no biases in layers. Its
// original config.json has the field names of GPT-2, and its masked-token head has no biases.
// Nussbaum, Morris, Duderstadt, Mulyar 2024, arXiv 2402.01613.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size(f.either("hidden_size", "n_embd"), b.width);
  f.size(f.either("num_hidden_layers", "n_layer"), b.layers);
  f.size(f.either("num_attention_heads", "n_head"), b.attention.heads);
  f.size(f.either("intermediate_size", "n_inner"), b.feed_forward.hidden);
  f.size(f.either("max_position_embeddings", "n_positions"), b.max_length);
  f.size("type_vocab_size", b.embedding.segments, 2);
  f.eps(f.either("layer_norm_eps", "layer_norm_epsilon"), b.norms.eps, 1e-12);
  f.activation("hidden_act", b.feed_forward.activation, "silu");
  f.dropout(f.either("hidden_dropout_prob", "resid_pdrop"), b.dropout, 0);
  f.dropout(f.either("attention_probs_dropout_prob", "attn_pdrop"), b.attention.dropout, 0);
}

// Settings of the original config.json that Locus does not support.
void expect_plain(const Config& config) {
  for (const char* name :
       {"prenorm", "parallel_block", "use_rms_norm", "causal", "qkv_proj_bias", "mlp_fc1_bias",
        "mlp_fc2_bias", "rotary_emb_interleaved", "scale_attn_by_inverse_layer_idx"}) {
    expect_flag(config, name, false);
  }
  if (config.text("activation_function", "swiglu") != "swiglu" && !config.has("hidden_act")) {
    config.unsupported("activation_function", "expected swiglu");
  }
  if (config.number("rotary_emb_fraction", 0, 1, 1) != 1)
    config.unsupported("rotary_emb_fraction", "expected 1");
  for (const char* name : {"rotary_emb_scale_base", "rotary_scaling_factor"}) {
    if (config.has(name)) config.unsupported(name, "expected null");
  }
}

// The original model code computes no scaling.
constexpr RotaryFields kRotary = {.base = "rotary_emb_base", .preset = 1000, .scales = false};

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  expect_plain(config);
  if (config.has("head_dim")) b.attention.head_size = config.size("head_dim");
  read_rotary(config, config.has("rope_theta") ? RotaryFields{} : kRotary, b);
  b.feed_forward.gated = b.attention.fused_qkv = true;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias = false;
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  if (b.head.kind == HeadKind::sequence_class) b.head.pooler = Activation::tanh;
  if (!config.has("hidden_size")) b.head.bias = b.head.dense_bias = false;
}

constexpr NamePair kLayer[] = {
    {"attention.out", "attn.out_proj"}, {"attention_norm", "norm1"},      {"feed_forward.up", "mlp.fc11"},
    {"feed_forward.gate", "mlp.fc12"},  {"feed_forward.down", "mlp.fc2"}, {"feed_forward_norm", "norm2"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("nomic_bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight", b.head.tied);
  map.tensor("encoder.embedding.segments", "nomic_bert.embeddings.token_type_embeddings.weight");
  map.module("encoder.embedding.norm", "nomic_bert.emb_ln");
  map.layers("encoder.layers", "nomic_bert.encoder.layers", b.layers, kLayer);
  for (int64_t i = 0; i < b.layers; ++i) {
    map.qkv(numbered("encoder.layers", i) + "attention",
            numbered("nomic_bert.encoder.layers", i) + "attn.Wqkv");
  }
  map.module("head.dense", "cls.predictions.transform.dense");
  map.module("head.dense_norm", "cls.predictions.transform.layer_norm");
  bert::bias_names(map, b.head.tied, "cls.predictions.bias", "cls.predictions.decoder.bias");
  map.module("head.pooler", "nomic_bert.pooler.dense");
  map.module("head.out", "classifier");
}

constexpr ModelType kTypes[] = {{"nomic_bert", "NomicBert"}};
constexpr std::string_view kPrefixes[] = {"nomic_bert.", "bert."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                               HeadKind::token_class};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.emplace_back("head_dim", json::number(b.size_of_head()));
  write_rotary(kRotary, b, members);
  return members;
}

}  // namespace

extern const Family kNomicBertFamily = {.name = "NomicBERT",
                                        .types = kTypes,
                                        .heads = kHeads,
                                        .prefixes = kPrefixes,
                                        .fields = fields,
                                        .read = read,
                                        .names = names,
                                        .config = config};

}  // namespace locus
