// ALBERT: BERT whose layers share one set of weights, with token embeddings narrower than the hidden size.
// Lan, Chen, Goodman, Gimpel, Sharma, Soricut 2019, arXiv 1909.11942.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-12, "gelu_new", 0);
  f.size("embedding_size", b.embedding.width, 128);
  f.size("max_position_embeddings", b.max_length, 512);
  f.size("type_vocab_size", b.embedding.segments, 2);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  bert::expect_encoder(config);
  for (const char* field : {"num_hidden_groups", "inner_group_num"}) {
    if (config.integer(field, 1, 10000, 1) != 1) config.unsupported(field, "expected 1");
  }
  if (b.row_width() == b.width) {
    config.unsupported("embedding_size", "expected a value other than hidden_size");
  }
  b.shared_layers = true;
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  if (b.head.kind == HeadKind::none || b.head.kind == HeadKind::sequence_class)
    b.head.pooler = Activation::tanh;
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kLayer[] = {
      {"attention.query", "attention.query"},    {"attention.key", "attention.key"},
      {"attention.value", "attention.value"},    {"attention.out", "attention.dense"},
      {"attention_norm", "attention.LayerNorm"}, {"feed_forward.up", "ffn"},
      {"feed_forward.down", "ffn_output"},       {"feed_forward_norm", "full_layer_layer_norm"},
  };
  map.tokens("albert.embeddings.word_embeddings.weight", "predictions.decoder.weight", b.head.tied);
  map.tensor("encoder.scheme.table", "albert.embeddings.position_embeddings.weight");
  bert::embedding_names(map, "albert");
  map.module("encoder.embedding.project", "albert.encoder.embedding_hidden_mapping_in");
  map.layers("encoder.layers", "albert.encoder.albert_layer_groups.0.albert_layers", 1, kLayer);
  map.module("head.dense", "predictions.dense");
  map.module("head.dense_norm", "predictions.LayerNorm");
  bert::bias_names(map, b.head.tied, "predictions.bias", "predictions.decoder.bias");
  map.module("head.pooler", "albert.pooler");
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"albert", "Albert"}};
constexpr std::string_view kPrefixes[] = {"albert."};
// The second pretraining head predicts the order of two sentences; Locus does not use it.
constexpr std::string_view kLeftovers[] = {"sop_classifier.classifier.weight",
                                           "sop_classifier.classifier.bias"};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kAlbertFamily = {.name = "ALBERT",
                                     .types = kTypes,
                                     .heads = kEncoderHeads,
                                     .prefixes = kPrefixes,
                                     .leftovers = kLeftovers,
                                     .fields = fields,
                                     .read = read,
                                     .names = names,
                                     .config = config};

}  // namespace locus
