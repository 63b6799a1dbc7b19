// OLMo 2: Llama with norms on the outputs of attention and feed-forward instead of pre-norms, and with QK
// norms over all heads together. OLMo 3 has global attention in every fourth layer only, and scales the
// rotation there. OLMo Team 2024, arXiv 2501.00656; 2025, arXiv 2512.13961.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::fields(f, b, 1e-5);
  f.size("max_position_embeddings", b.max_length, 2048);
  f.flag("attention_bias", b.attention.output_bias, false);
}

// The second version checks rope_scaling strictly: type and factor, nothing else.
constexpr RotaryFields kSecond = {.type = "type"};
constexpr double kBase = 5e5;
constexpr TwoRotations kThird = {.global_base = "rope_theta",
                                 .sliding_base = "rope_theta",
                                 .global_preset = kBase,
                                 .sliding_preset = kBase,
                                 .scales_both = false};

void read(const Config& config, Blueprint& b) {
  llama::read_body(b);
  b.norms.place = NormPlace::added;
  b.attention.joint_norms = true;
  b.feed_forward.bias = false;
  b.embedding.padding_token = padding_of(config, 1, b.vocabulary);
  if (config.text("model_type") == "olmo2") return read_rotary(config, kSecond, b);
  read_window(config, layer_kinds(config, {"sliding_window_pattern", 4, 1, true}, b.layers),
              config.integer("sliding_window", 1, 1e9, 4096), b);
  read_two_rotations(config, kThird, b);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kNorms[] = {{"attention_out_norm", "post_attention_layernorm"},
                                 {"feed_forward_out_norm", "post_feedforward_layernorm"}};
  llama::body_names(map, b, kNorms, llama::kGated);
}

constexpr ModelType kTypes[] = {{"olmo2", "Olmo2"}, {"olmo3", "Olmo3"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class};

json::Members config(const Blueprint& b) {
  const bool third = b.global.every > 0 || b.attention.window > 0;
  json::Members members = named(kTypes[third ? 1 : 0], b.head.kind);
  third ? write_two_rotations(kThird, b, members) : write_rotary(kSecond, b, members);
  members.emplace_back("pad_token_id", padding_config(b));
  if (third) {
    members.emplace_back("layer_types", layer_types(b));
    members.emplace_back("sliding_window", json::number(std::max<int64_t>(b.attention.window, 1)));
  }
  return members;
}

}  // namespace

extern const Family kOlmoFamily = {.name = "OLMo",
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
