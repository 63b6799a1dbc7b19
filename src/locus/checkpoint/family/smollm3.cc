// SmolLM3: Llama without positions (NoPE) in every fourth layer. Bakouch et al. 2025; Yang et al. 2025, arXiv
// 2501.18795.
#include <algorithm>

#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::fields(f, b);
  f.size("max_position_embeddings", b.max_length, 32768);
  f.flag("attention_bias", b.attention.output_bias, false);
  f.flag("mlp_bias", b.feed_forward.bias, false);
}

// 1 for each layer with rotary positions, 0 for each layer without positions.
LayerKinds rotary_layers(const Config& config, int64_t layers) {
  LayerKinds kinds = {.field = "no_rope_layers", .words = {}, .global = "0", .windowed = "1"};
  for (const double rotary : config.numbers(kinds.field)) {
    kinds.words.emplace_back(rotary == 0 ? kinds.global : kinds.windowed);
  }
  const int64_t every = config.integer("no_rope_layer_interval", 1, 10000, 4);
  if (config.has(kinds.field)) return kinds;
  for (int64_t i = 1; i <= layers; ++i)
    kinds.words.emplace_back(i % every == 0 ? kinds.global : kinds.windowed);
  return kinds;
}

void read(const Config& config, Blueprint& b) {
  if (config.has("head_dim")) b.attention.head_size = config.size("head_dim");
  llama::read_body(b);
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  expect_flag(config, "use_sliding_window", false);
  if (std::ranges::count(config.texts("layer_types"), "sliding_attention") > 0)
    config.unsupported("layer_types", "expected full_attention for every layer");
  read_rotary(config, {.preset = 2e6}, b);
  read_nope_layers(config, rotary_layers(config, b.layers), 0, b);
}

void names(NameMap& map, const Blueprint& b) { llama::body_names(map, b, llama::kNorms, llama::kGated); }

constexpr ModelType kTypes[] = {{"smollm3", "SmolLM3"}};

json::Members config(const Blueprint& b) {
  std::vector<int32_t> turning;
  for (int64_t i = 0; i < b.layers; ++i) turning.push_back(b.is_global(i) ? 0 : 1);
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"head_dim", json::number(b.size_of_head())},
                                 {"no_rope_layers", json::numbers(turning)},
                                 {"pad_token_id", padding_config(b)}});
  write_rotary({}, b, members);
  return members;
}

}  // namespace

extern const Family kSmollm3Family = {.name = "SmolLM3",
                                      .types = kTypes,
                                      .heads = kDecoderHeads,
                                      .prefixes = llama::kPrefixes,
                                      .packs_by_position = true,
                                      .fields = fields,
                                      .read = read,
                                      .names = names,
                                      .config = config};

}  // namespace locus
