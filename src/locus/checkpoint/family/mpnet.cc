// MPNet: the learned positions of RoBERTa combined with the bucketed relative bias of T5; no segments.
// Song, Tan, Qin, Lu, Liu 2020, arXiv 2004.09297.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

// Constants that config.json does not contain, or that transformers ignores there.
constexpr int32_t kPadding = 1;
constexpr int64_t kBuckets = 32;
constexpr const char* kFurthest = "128";

void fields(ConfigFields& f, Blueprint& b) { bert::fields(f, b, 1e-12); }

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  b.scheme = "learned+t5";
  b.scheme_options = {{"t5.buckets", fmt::format("{}", kBuckets)}, {"t5.max_distance", kFurthest}};
  if (config.integer("relative_attention_num_buckets", 1, 1 << 20, kBuckets) != kBuckets) {
    config.unsupported("relative_attention_num_buckets", "expected {}, as in transformers", kBuckets);
  }
  if (b.vocabulary <= kPadding)
    config.refuse("vocab_size", "expected more than {}, the padding token", kPadding);
  bert::read_roberta(config, b, kPadding);
}

constexpr NamePair kLayer[] = {
    {"attention.query", "attention.attn.q"},   {"attention.key", "attention.attn.k"},
    {"attention.value", "attention.attn.v"},   {"attention.out", "attention.attn.o"},
    {"attention_norm", "attention.LayerNorm"}, {"feed_forward.up", "intermediate.dense"},
    {"feed_forward.down", "output.dense"},     {"feed_forward_norm", "output.LayerNorm"},
};

void names(NameMap& map, const Blueprint& b) {
  bert::roberta_head_names(map, b, "mpnet");
  map.tensor("encoder.scheme.learned.table", "mpnet.embeddings.position_embeddings.weight");
  map.module("encoder.embedding.norm", "mpnet.embeddings.LayerNorm");
  map.tensor("encoder.scheme.t5.table", "mpnet.encoder.relative_attention_bias.weight");
  map.layers("encoder.layers", "mpnet.encoder.layer", b.layers, kLayer);
}

constexpr ModelType kTypes[] = {{"mpnet", "MPNet"}};
constexpr std::string_view kPrefixes[] = {"mpnet."};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"max_position_embeddings", json::number(b.max_length + b.position_offset)},
                                 {"relative_attention_num_buckets", json::number(kBuckets)},
                                 {"pad_token_id", json::number(int64_t{kPadding})}});
  return members;
}

}  // namespace

extern const Family kMpnetFamily = {.name = "MPNet",
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
