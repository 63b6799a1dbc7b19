// Granite: Llama with scale factors on token embeddings, residual additions, attention scores and logits.
// Granite Team, IBM 2024, Granite 3.0 Language Models; Yang et al. 2022, arXiv 2203.03466.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::fields(f, b);
  f.size("max_position_embeddings", b.max_length, 2048);
  f.flag("attention_bias", b.attention.output_bias, false);
  f.flag("mlp_bias", b.feed_forward.bias, false);
  f.scale("embedding_multiplier", b.embedding.scale, 1);
  f.scale("residual_multiplier", b.residual_scale, 1);
}

void read(const Config& config, Blueprint& b) {
  llama::read_body(b);
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  b.attention.scale = static_cast<float>(config.number("attention_multiplier", 1e-6, 1e6, 1));
  b.head.scale = static_cast<float>(1 / config.number("logits_scaling", 1e-6, 1e6, 1));
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

constexpr ModelType kTypes[] = {{"granite", "Granite"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"attention_multiplier", fraction(b.attention.scale.value_or(0))},
                                 {"logits_scaling", fraction(1 / b.head.scale)},
                                 {"pad_token_id", padding_config(b)}});
  write_rotary({}, b, members);
  return members;
}

}  // namespace

extern const Family kGraniteFamily = {.name = "Granite",
                                      .types = kTypes,
                                      .heads = kHeads,
                                      .prefixes = llama::kPrefixes,
                                      .packs_by_position = true,
                                      .tied = false,
                                      .fields = fields,
                                      .read = read,
                                      .names = names,
                                      .config = config};

}  // namespace locus
