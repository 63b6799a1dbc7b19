// DistilBERT: BERT without segments and pooler. Its positions are a table in the checkpoint, also where they
// began as sines; its norms' eps is fixed. Sanh et al. 2019, arXiv 1910.01108.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.kind = ModelKind::encoder;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("dim");
  b.layers = config.size("n_layers");
  b.heads = config.size("n_heads");
  b.hidden = config.size("hidden_dim");
  b.max_length = config.size("max_position_embeddings");
  b.scheme = "learned";
  b.padding_token = padding_of(config, 0, b.vocabulary);
  b.embedding_norm = true;
  b.norm_place = NormPlace::after;
  b.final_norm = false;
  b.norm_eps = 1e-12f;
  b.activation = activation_of(config, "activation", "gelu");
  b.dropout = static_cast<float>(config.number("dropout", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0.1));
  b.head_dense = b.head_bias = true;
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  if (head == HeadKind::sequence_class) b.pooler = Activation::relu;
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention.query", "attention.q_lin"}, {"attention.key", "attention.k_lin"},
    {"attention.value", "attention.v_lin"}, {"attention.out", "attention.out_lin"},
    {"attention_norm", "sa_layer_norm"},    {"feed_forward.up", "ffn.lin1"},
    {"feed_forward.down", "ffn.lin2"},      {"feed_forward_norm", "output_layer_norm"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "distilbert.embeddings.word_embeddings.weight");
  if (b.tied) map.tie("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight");
  map.tensor("encoder.scheme.table", "distilbert.embeddings.position_embeddings.weight");
  map.module("encoder.embedding.norm", "distilbert.embeddings.LayerNorm");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("encoder.layers", i), numbered("distilbert.transformer.layer", i), kLayer);
  }
  map.module("head.dense", "vocab_transform");
  map.module("head.dense_norm", "vocab_layer_norm");
  map.tensor("head.weight", "vocab_projector.weight");
  map.tensor("head.bias", "vocab_projector.bias");
  map.module("head.pooler", "pre_classifier");
  map.module("head.out", b.head == HeadKind::answer ? "qa_outputs" : "classifier");
}

constexpr ModelType kTypes[] = {{"distilbert", "DistilBert"}};
constexpr std::string_view kPrefixes[] = {"distilbert."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kDistilbertFamily = {.name = "DistilBERT",
                                         .types = kTypes,
                                         .heads = kHeads,
                                         .prefixes = kPrefixes,
                                         .blueprint = blueprint,
                                         .names = names};

}  // namespace locus
