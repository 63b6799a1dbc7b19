// Falcon: rotary positions; parallel attention and feed-forward with one shared norm or two norms; key and
// value heads shared by all heads (MQA) or by groups (GQA). Almazrouei et al. 2023, arXiv 2311.16867.
#include "locus/checkpoint/family/bloom.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("ffn_hidden_size", b.feed_forward.hidden, 4 * b.width);
  f.size("max_position_embeddings", b.max_length, 2048);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-5);
  f.activation("activation", b.feed_forward.activation, "gelu");
  f.flag("bias", b.feed_forward.bias, false);
  f.dropout("hidden_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

// The new architecture, used by the larger models, has groups of heads (GQA) and may have two norms.
void read(const Config& config, Blueprint& b) {
  expect_flag(config, "alibi", false);  // transformers rounds the ALiBi bias to bf16 here
  const bool groups = config.flag("new_decoder_architecture", false);
  if (groups) expect_flag(config, "parallel_attn", true);
  const int64_t norms = config.integer("num_ln_in_parallel_attn", 1, 2, groups ? 2 : 1);
  if (norms == 2 && !groups) {
    config.refuse("num_ln_in_parallel_attn", "expected 1, because new_decoder_architecture is false");
  }
  const bool parallel = config.flag("parallel_attn", true);
  b.residual = norms == 2 ? Residual::parallel
               : parallel ? Residual::parallel_one_norm
                          : Residual::sequential;
  const int64_t alone = config.flag("multi_query", true) ? 1 : b.attention.heads;
  const int64_t grouped_heads = config.size("num_kv_heads", b.attention.heads);
  b.attention.key_heads = groups ? grouped_heads : alone;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias;
  b.attention.fused_qkv = true;
  read_rotary(config, {}, b);
}

void names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kTwoNorms[] = {{"attention_norm", "ln_attn"}, {"feed_forward_norm", "ln_mlp"}};
  bloom::names(map, b, b.residual == Residual::parallel ? kTwoNorms : bloom::kNorms);
}

constexpr NamePair kSecondNames[] = {{"hidden_size", "n_embed"}};
constexpr ModelType kTypes[] = {{"falcon", "Falcon"}};

json::Members config(const Blueprint& b) {
  const bool two_norms = b.residual == Residual::parallel;
  const bool groups = two_norms || (b.attention.key_heads != 1 && b.attention.key_heads != b.attention.heads);
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"new_decoder_architecture", json::boolean(groups)},
                                 {"multi_query", json::boolean(b.attention.key_heads == 1)},
                                 {"num_kv_heads", json::number(b.key_head_count())},
                                 {"parallel_attn", json::boolean(b.residual != Residual::sequential)},
                                 {"num_ln_in_parallel_attn", json::number(int64_t{two_norms ? 2 : 1})}});
  write_rotary({}, b, members);
  return members;
}

}  // namespace

extern const Family kFalconFamily = {.name = "Falcon",
                                     .types = kTypes,
                                     .heads = kDecoderHeads,
                                     .prefixes = bloom::kPrefixes,
                                     .second_names = kSecondNames,
                                     .fields = fields,
                                     .read = read,
                                     .names = names,
                                     .config = config};

}  // namespace locus
