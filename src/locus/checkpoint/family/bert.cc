// BERT: learned positions by the index in the row, segments, norms after the residuals.
// Devlin et al. 2018, arXiv 1810.04805.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.kind = ModelKind::encoder;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("hidden_size");
  b.layers = config.size("num_hidden_layers");
  b.heads = config.size("num_attention_heads");
  b.hidden = config.size("intermediate_size");
  b.max_length = config.size("max_position_embeddings");
  b.segments = config.size("type_vocab_size", 2);
  b.scheme = "learned";
  b.embedding_norm = true;
  b.padding_token = padding_of(config, 0, b.vocabulary);
  b.norm_place = NormPlace::after;
  b.final_norm = false;
  b.norm_eps = static_cast<float>(config.number("layer_norm_eps", 0, 1, 1e-12));
  b.activation = activation_of(config, "hidden_act", "gelu");
  b.dropout = static_cast<float>(config.number("hidden_dropout_prob", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attention_probs_dropout_prob", 0, 0.99, 0.1));
  b.head_dense = b.head_bias = true;
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  if (head == HeadKind::none || head == HeadKind::sequence_class) b.pooler = Activation::tanh;
  expect_flag(config, "is_decoder", false);
  if (config.text("position_embedding_type", "absolute") != "absolute") {
    config.refuse("position_embedding_type", "but Locus opens such models with absolute positions only");
  }
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention.query", "attention.self.query"},
    {"attention.key", "attention.self.key"},
    {"attention.value", "attention.self.value"},
    {"attention.out", "attention.output.dense"},
    {"attention_norm", "attention.output.LayerNorm"},
    {"feed_forward.up", "intermediate.dense"},
    {"feed_forward.down", "output.dense"},
    {"feed_forward_norm", "output.LayerNorm"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "bert.embeddings.word_embeddings.weight");
  map.tensor("encoder.scheme.table", "bert.embeddings.position_embeddings.weight");
  map.tensor("encoder.embedding.segments", "bert.embeddings.token_type_embeddings.weight");
  map.module("encoder.embedding.norm", "bert.embeddings.LayerNorm");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("encoder.layers", i), numbered("bert.encoder.layer", i), kLayer);
  }
  map.module("head.pooler", "bert.pooler.dense");
  map.module("head.dense", "cls.predictions.transform.dense");
  map.module("head.dense_norm", "cls.predictions.transform.LayerNorm");
  map.tensor("head.weight", "cls.predictions.decoder.weight");
  if (b.tied) map.tie("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
  // Two names for one tensor where the head is tied; where it is not, the decoder's is the one that counts.
  const char *bias = "cls.predictions.bias", *own = "cls.predictions.decoder.bias";
  map.tensor("head.bias", b.tied ? bias : own);
  map.alias(b.tied ? bias : own, b.tied ? own : bias);
  map.module("head.out", b.head == HeadKind::answer ? "qa_outputs" : "classifier");
}

json::Members config(const Blueprint& b) {
  json::Members members = named("bert", "Bert", b.head);
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"hidden_size", json::number(b.width)},
                                 {"num_hidden_layers", json::number(b.layers)},
                                 {"num_attention_heads", json::number(b.heads)},
                                 {"intermediate_size", json::number(b.hidden)},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"type_vocab_size", json::number(b.segments)},
                                 {"layer_norm_eps", json::number(b.norm_eps)},
                                 {"hidden_act", json::text(activation_name(b.activation))},
                                 {"hidden_dropout_prob", json::number(b.dropout)},
                                 {"attention_probs_dropout_prob", json::number(b.attention_dropout)}});
  return members;
}

constexpr ModelType kTypes[] = {{"bert", "Bert"}};
constexpr std::string_view kPrefixes[] = {"bert."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kBertFamily = {.name = "BERT",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = kPrefixes,
                                   .blueprint = blueprint,
                                   .names = names,
                                   .config = config};

}  // namespace locus
