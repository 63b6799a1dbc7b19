// Phi-3: Llama with a fused query-key-value matrix and a fused gate and up matrix. Part of each head may stay
// unrotated, and long texts use other frequencies (longrope). Abdin et al. 2024, arXiv 2404.14219.
#include "locus/checkpoint/family/llama.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  llama::fields(f, b, 1e-5);
  f.size("max_position_embeddings", b.max_length, 4096);
  f.dropout("resid_pdrop", b.dropout, 0);
}

// The class checks rope_scaling strictly: type and the two lists of factors, nothing else.
constexpr RotaryFields kRotary = {.fraction = "partial_rotary_factor", .type = "type"};

// Every version of transformers takes the original length of Phi-3 from outside the rope block, where it is
// 4096 by default, and ignores the one in the block.
void expect_length_outside(const Config& config) {
  const std::string length = "original_max_position_embeddings";
  if (config.has(length)) return;  // read_rotary() compares it with the one in the block
  for (const char* block : {"rope_scaling.", "rope_parameters."}) {
    const std::string inside = block + length;
    if (!config.has(inside) || config.integer(inside, 1, 1e9) == 4096) continue;
    config.refuse(inside, "expected {} also outside the block: without it, transformers takes 4096 for Phi-3",
                  length);
  }
}

void read(const Config& config, Blueprint& b) {
  if (b.width % b.attention.heads != 0) {
    config.refuse("hidden_size", "expected a multiple of num_attention_heads = {}", b.attention.heads);
  }
  b.norms.kind = NormKind::rms;
  b.feed_forward.gated = b.attention.fused_qkv = true;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias = false;
  b.embedding.padding_token = padding_of(config, {}, b.vocabulary);
  expect_flag(config, "attention_bias", false);
  if (config.has("sliding_window")) b.attention.window = config.integer("sliding_window", 1, 1e9);
  read_rotary(config, kRotary, b);
  const auto scaling = b.scheme_options.find("scaling");
  if (scaling != b.scheme_options.end() && scaling->second != "longrope") {
    fail({Fault::data, Code::unsupported_field},
         "'{}': the rotary scaling is {}, expected longrope, the only one of Phi-3", config.path().string(),
         scaling->second);
  }
  if (scaling != b.scheme_options.end()) expect_length_outside(config);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kFeedForward[] = {{"feed_forward.down", "mlp.down_proj"}};
  llama::body_names(map, b, llama::kNorms, kFeedForward);
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("model.layers", i);
    map.qkv(ours + "attention", theirs + "self_attn.qkv_proj");
    map.stacked({ours + "feed_forward.gate", ours + "feed_forward.up"}, theirs + "mlp.gate_up_proj");
  }
}

constexpr ModelType kTypes[] = {{"phi3", "Phi3"}};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"sliding_window", window_config(b)}, {"pad_token_id", padding_config(b)}});
  write_rotary(kRotary, b, members);
  return members;
}

}  // namespace

extern const Family kPhi3Family = {.name = "Phi-3",
                                   .types = kTypes,
                                   .heads = llama::kHeads,
                                   .prefixes = llama::kPrefixes,
                                   .packs_by_position = true,
                                   .tied = false,
                                   .fields = fields,
                                   .read = read,
                                   .names = names,
                                   .config = config};

}  // namespace locus
