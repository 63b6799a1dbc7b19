// GPT-J: rotary positions on interleaved pairs of the first components of each head; parallel attention and
// feed-forward with one norm; an output head with a bias. Wang, Komatsuzaki 2021.
#include "locus/checkpoint/family/gpt2.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) { gpt2::fields(f, b, 0); }

void read(const Config& config, Blueprint& b) {
  b.scheme = "rotary";
  const int64_t rotated = config.size("rotary_dim", 64);
  if (rotated % 2 != 0) config.refuse("rotary_dim", "expected an even number, because pairs are rotated");
  b.scheme_options = {{"pairs", "interleaved"}, {"width", fmt::format("{}", rotated)}, {"precision", "hf"}};
  b.residual = Residual::parallel_one_norm;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias = false;
  b.head.bias = true;
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "ln_1"},          {"attention.query", "attn.q_proj"}, {"attention.key", "attn.k_proj"},
    {"attention.value", "attn.v_proj"},  {"attention.out", "attn.out_proj"}, {"feed_forward.up", "mlp.fc_in"},
    {"feed_forward.down", "mlp.fc_out"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("transformer.wte.weight", "lm_head.weight", b.head.tied);
  map.layers("decoder.layers", "transformer.h", b.layers, kLayer);
  map.module("decoder.norm", "transformer.ln_f");
  map.tensor("head.bias", "lm_head.bias");
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"gptj", "GPTJ"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::answer};

json::Members config(const Blueprint& b) {
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(),
                 {{"rotary_dim", scheme_setting(b, "width")}, {"embd_pdrop", json::number(b.dropout)}});
  return members;
}

}  // namespace

extern const Family kGptjFamily = {.name = "GPT-J",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = gpt2::kPrefixes,
                                   .length_field = "n_positions",
                                   .segments_are_tokens = true,
                                   .packs_by_position = true,
                                   .tied = false,
                                   .second_names = gpt2::kSecondNames,
                                   .fields = fields,
                                   .read = read,
                                   .names = names,
                                   .config = config};

}  // namespace locus
