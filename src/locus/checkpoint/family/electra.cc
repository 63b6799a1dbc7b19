// ELECTRA: BERT without a pooler; token embeddings may be narrower than the hidden size. A generator predicts
// masked tokens. A discriminator detects replaced tokens with a head that Locus does not support.
// Clark, Luong, Le, Manning 2020, arXiv 2003.10555.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-12);
  f.size("embedding_size", b.embedding.width, 128);
  f.size("max_position_embeddings", b.max_length);
  f.size("type_vocab_size", b.embedding.segments, 2);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  bert::expect_encoder(config);
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  bert::expect_gelu(config, b);
  if (b.head.kind == HeadKind::sequence_class) b.head.pooler = Activation::gelu;
}

void names(NameMap& map, const Blueprint& b) {
  map.tokens("electra.embeddings.word_embeddings.weight", "generator_lm_head.weight", b.head.tied);
  map.module("encoder.embedding.project", "electra.embeddings_project");
  bert::body_names(map, b, "electra");
  map.module("head.dense", "generator_predictions.dense");
  map.module("head.dense_norm", "generator_predictions.LayerNorm");
  map.tensor("head.bias", "generator_lm_head.bias");
  map.module("head.pooler", "classifier.dense");
  map.module("head.out", b.head.kind == HeadKind::sequence_class ? "classifier.out_proj" : label_module(b));
}

constexpr ModelType kTypes[] = {{"electra", "Electra"}};
constexpr std::string_view kPrefixes[] = {"electra."};
constexpr std::string_view kLeftovers[] = {
    "discriminator_predictions.dense.weight",
    "discriminator_predictions.dense.bias",
    "discriminator_predictions.dense_prediction.weight",
    "discriminator_predictions.dense_prediction.bias",
};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kElectraFamily = {.name = "ELECTRA",
                                      .types = kTypes,
                                      .heads = kEncoderHeads,
                                      .prefixes = kPrefixes,
                                      .leftovers = kLeftovers,
                                      .pretraining = HeadKind::none,
                                      .fields = fields,
                                      .read = read,
                                      .names = names,
                                      .config = config};

}  // namespace locus
