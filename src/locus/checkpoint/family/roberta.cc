// RoBERTa, XLM-R and CamemBERT: BERT with learned positions that count the non-padding tokens from padding
// + 1. Liu et al. 2019, arXiv 1907.11692; Conneau et al. 2019, arXiv 1911.02116.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-12);
  f.size("type_vocab_size", b.embedding.segments, 2);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  bert::expect_encoder(config);
  bert::read_roberta(config, b, static_cast<int32_t>(config.integer("pad_token_id", 0, b.vocabulary - 1, 1)));
}

void names(NameMap& map, const Blueprint& b) {
  bert::roberta_head_names(map, b, "roberta");
  bert::body_names(map, b, "roberta");
}

constexpr ModelType kTypes[] = {
    {"roberta", "Roberta"}, {"xlm-roberta", "XLMRoberta"}, {"camembert", "Camembert"}};
constexpr std::string_view kPrefixes[] = {"roberta."};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(),
                 {{"max_position_embeddings", json::number(b.max_length + b.position_offset)},
                  {"pad_token_id", json::number(int64_t{b.embedding.padding_token.value_or(-1)})}});
  return members;
}

}  // namespace

void bert::read_roberta(const Config& config, Blueprint& b, int32_t padding) {
  b.embedding.padding_token = padding;
  b.positions = PositionPolicy::Kind::count;
  b.position_offset = padding + 1;
  b.max_length =
      config.integer("max_position_embeddings", b.position_offset + 1, 1 << 24) - b.position_offset;
  expect_gelu(config, b);
  if (b.head.kind == HeadKind::none || b.head.kind == HeadKind::sequence_class)
    b.head.pooler = Activation::tanh;
}

void bert::roberta_head_names(NameMap& map, const Blueprint& b, const std::string& base) {
  map.tokens(base + ".embeddings.word_embeddings.weight", "lm_head.decoder.weight", b.head.tied);
  map.module("head.dense", "lm_head.dense");
  map.module("head.dense_norm", "lm_head.layer_norm");
  bias_names(map, b.head.tied, "lm_head.bias", "lm_head.decoder.bias");
  const bool classes = b.head.kind == HeadKind::sequence_class;
  map.module("head.pooler", classes ? "classifier.dense" : base + ".pooler.dense");
  map.module("head.out", classes ? "classifier.out_proj" : label_module(b));
}

extern const Family kRobertaFamily = {.name = "RoBERTa",
                                      .types = kTypes,
                                      .heads = kEncoderHeads,
                                      .prefixes = kPrefixes,
                                      .length_counts_offset = true,
                                      .padding_by_id = true,
                                      .fields = fields,
                                      .read = read,
                                      .names = names,
                                      .config = config};

}  // namespace locus
