// DistilBERT: BERT without segments and pooler. Checkpoints contain the position table even if it was
// initialized with sines. The eps of its norms is fixed. Sanh et al. 2019, arXiv 1910.01108.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("dim", b.width);
  f.size("n_layers", b.layers);
  f.size("n_heads", b.attention.heads);
  f.size("hidden_dim", b.feed_forward.hidden);
  f.size("max_position_embeddings", b.max_length);
  f.activation("activation", b.feed_forward.activation, "gelu");
  f.dropout("dropout", b.dropout, 0.1);
  f.dropout("attention_dropout", b.attention.dropout, 0.1);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  b.norms.eps = 1e-12f;
  if (b.head.kind == HeadKind::sequence_class) b.head.pooler = Activation::relu;
}

constexpr NamePair kLayer[] = {
    {"attention.query", "attention.q_lin"}, {"attention.key", "attention.k_lin"},
    {"attention.value", "attention.v_lin"}, {"attention.out", "attention.out_lin"},
    {"attention_norm", "sa_layer_norm"},    {"feed_forward.up", "ffn.lin1"},
    {"feed_forward.down", "ffn.lin2"},      {"feed_forward_norm", "output_layer_norm"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight", b.head.tied);
  map.tensor("encoder.scheme.table", "distilbert.embeddings.position_embeddings.weight");
  map.module("encoder.embedding.norm", "distilbert.embeddings.LayerNorm");
  map.layers("encoder.layers", "distilbert.transformer.layer", b.layers, kLayer);
  map.module("head.dense", "vocab_transform");
  map.module("head.dense_norm", "vocab_layer_norm");
  map.tensor("head.bias", "vocab_projector.bias");
  map.module("head.pooler", "pre_classifier");
  map.module("head.out", label_module(b));
}

constexpr NamePair kSecondNames[] = {
    {"dim", "hidden_size"}, {"n_layers", "num_hidden_layers"}, {"n_heads", "num_attention_heads"}};
constexpr ModelType kTypes[] = {{"distilbert", "DistilBert"}};
constexpr std::string_view kPrefixes[] = {"distilbert."};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kDistilbertFamily = {.name = "DistilBERT",
                                         .types = kTypes,
                                         .heads = kEncoderHeads,
                                         .prefixes = kPrefixes,
                                         .second_names = kSecondNames,
                                         .fields = fields,
                                         .read = read,
                                         .names = names,
                                         .config = config};

}  // namespace locus
