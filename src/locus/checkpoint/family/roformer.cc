// RoFormer: BERT with rotary positions on interleaved pairs instead of a position table. Token embeddings may
// be narrower than the hidden size. Su, Lu, Pan, Murtadha, Wen, Liu 2021, arXiv 2104.09864.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-12);
  f.size("embedding_size", b.embedding.width, b.width);
  f.size("max_position_embeddings", b.max_length, 1536);
  f.size("type_vocab_size", b.embedding.segments, 2);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  bert::expect_encoder(config);
  expect_flag(config, "rotary_value", false);
  b.scheme = "rotary";
  b.scheme_options = {{"pairs", "interleaved"}};
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  if (b.head.kind == HeadKind::sequence_class) b.head.pooler = b.feed_forward.activation;
}

void names(NameMap& map, const Blueprint& b) {
  bert::prediction_names(map, b, "roformer");
  map.module("encoder.embedding.project", "roformer.embeddings_project");
  bert::body_names(map, b, "roformer");
  map.module("head.pooler", "classifier.dense");
  map.module("head.out", b.head.kind == HeadKind::sequence_class ? "classifier.out_proj" : label_module(b));
}

constexpr ModelType kTypes[] = {{"roformer", "RoFormer"}};
constexpr std::string_view kPrefixes[] = {"roformer."};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kRoformerFamily = {.name = "RoFormer",
                                       .types = kTypes,
                                       .heads = kEncoderHeads,
                                       .prefixes = kPrefixes,
                                       .sine_tables = true,
                                       .fields = fields,
                                       .read = read,
                                       .names = names,
                                       .config = config};

}  // namespace locus
