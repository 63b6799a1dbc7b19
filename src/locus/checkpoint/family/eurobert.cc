// EuroBERT: a bidirectional, multilingual Llama. Its classification heads, which have a special dense layer
// in transformers, are not supported. Boizard et al. 2025, arXiv 2503.05500.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::fields(f, b, 1e-5);
  f.size("max_position_embeddings", b.max_length, 8192);
  f.flag("attention_bias", b.attention.output_bias, false);
  f.flag("mlp_bias", b.feed_forward.bias, false);
}

void read(const Config& config, Blueprint& b) {
  b.kind = ModelKind::encoder;
  llama::read_body(b);
  if (config.has("head_dim")) b.attention.head_size = config.size("head_dim");
  b.head.bias = b.head.kind == HeadKind::masked_token && b.feed_forward.bias;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) {
  llama::body_names(map, b, llama::kNorms, llama::kGated);
  map.tensor("head.bias", "lm_head.bias");
}

constexpr ModelType kTypes[] = {{"eurobert", "EuroBert"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::masked_token};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(),
                 {{"head_dim", json::number(b.size_of_head())}, {"pad_token_id", padding_config(b)}});
  write_rotary({}, b, members);
  return members;
}

}  // namespace

extern const Family kEurobertFamily = {.name = "EuroBERT",
                                       .types = kTypes,
                                       .heads = kHeads,
                                       .prefixes = llama::kPrefixes,
                                       .tied = false,
                                       .fields = fields,
                                       .read = read,
                                       .names = names,
                                       .config = config};

}  // namespace locus
