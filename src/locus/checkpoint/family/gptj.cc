// GPT-J: rotary positions on neighbouring pairs of each head's first elements; attention and feed-forward
// side by side behind one norm; a head with a bias. Wang, Komatsuzaki 2021.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("n_embd");
  b.layers = config.size("n_layer");
  b.heads = config.size("n_head");
  b.hidden = config.size("n_inner", 4 * b.width);
  b.max_length = config.size("n_positions");
  b.scheme = "rotary";
  const int64_t rotated = config.size("rotary_dim", 64);
  if (rotated % 2 != 0) config.refuse("rotary_dim", "expected an even number: pairs turn");
  b.scheme_options = {{"pairs", "interleaved"}, {"width", fmt::format("{}", rotated)}, {"precision", "hf"}};
  b.residual = Residual::parallel_one_norm;
  b.norm_eps = static_cast<float>(config.number("layer_norm_epsilon", 0, 1, 1e-5));
  b.activation = activation_of(config, "activation_function", "gelu_new");
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = false;
  b.dropout = static_cast<float>(config.number("resid_pdrop", 0, 0.99, 0));
  b.attention_dropout = static_cast<float>(config.number("attn_pdrop", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", false);
  b.head_bias = true;
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "ln_1"},          {"attention.query", "attn.q_proj"}, {"attention.key", "attn.k_proj"},
    {"attention.value", "attn.v_proj"},  {"attention.out", "attn.out_proj"}, {"feed_forward.up", "mlp.fc_in"},
    {"feed_forward.down", "mlp.fc_out"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "transformer.wte.weight");
  if (b.tied) map.tie("transformer.wte.weight", "lm_head.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("decoder.layers", i), numbered("transformer.h", i), kLayer);
  }
  map.module("decoder.norm", "transformer.ln_f");
  map.tensor("head.weight", "lm_head.weight");
  map.tensor("head.bias", "lm_head.bias");
  map.module("head.out", b.head == HeadKind::answer ? "qa_outputs" : "score");
}

constexpr ModelType kTypes[] = {{"gptj", "GPTJ"}};
constexpr std::string_view kPrefixes[] = {"transformer."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::answer};

}  // namespace

extern const Family kGptjFamily = {.name = "GPT-J",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = kPrefixes,
                                   .length_field = "n_positions",
                                   .fixed_rotation = true,
                                   .blueprint = blueprint,
                                   .names = names};

}  // namespace locus
