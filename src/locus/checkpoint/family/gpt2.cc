// GPT-2: learned positions by the index in the row, norms before, one matrix for queries, keys and values.
// Its weights are stored [in, out]. Radford et al. 2019.
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
  b.scheme = "learned";
  b.norm_eps = static_cast<float>(config.number("layer_norm_epsilon", 0, 1, 1e-5));
  b.activation = activation_of(config, "activation_function", "gelu_new");
  b.fused_qkv = true;
  b.attention_scale = config.flag("scale_attn_weights", true) ? 0 : 1;
  b.dropout = static_cast<float>(config.number("resid_pdrop", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attn_pdrop", 0, 0.99, 0.1));
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  expect_flag(config, "scale_attn_by_inverse_layer_idx", false);
  expect_flag(config, "add_cross_attention", false);
  return b;
}

constexpr NamePair kNorms[] = {{"attention_norm", "ln_1"}, {"feed_forward_norm", "ln_2"}};
constexpr NamePair kWeights[] = {
    {"attention.out", "attn.c_proj"},
    {"feed_forward.up", "mlp.c_fc"},
    {"feed_forward.down", "mlp.c_proj"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "transformer.wte.weight");
  if (b.tied) map.tie("transformer.wte.weight", "lm_head.weight");
  map.tensor("decoder.scheme.table", "transformer.wpe.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("transformer.h", i);
    map.modules(ours, theirs, kNorms);
    map.qkv(ours + "attention", theirs + "attn.c_attn", {.transposed = true});
    map.modules(ours, theirs, kWeights, {.transposed = true});
  }
  map.module("decoder.norm", "transformer.ln_f");
  map.tensor("head.weight", "lm_head.weight");
  map.module("head.out", b.head == HeadKind::answer           ? "qa_outputs"
                         : b.head == HeadKind::sequence_class ? "score"
                                                              : "classifier");
}

json::Members config(const Blueprint& b) {
  json::Members members = named("gpt2", "GPT2", b.head, "LMHeadModel");
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"n_embd", json::number(b.width)},
                                 {"n_layer", json::number(b.layers)},
                                 {"n_head", json::number(b.heads)},
                                 {"n_inner", json::number(b.hidden)},
                                 {"n_positions", json::number(b.max_length)},
                                 {"layer_norm_epsilon", json::number(b.norm_eps)},
                                 {"activation_function", json::text(activation_name(b.activation))},
                                 {"scale_attn_weights", json::boolean(b.attention_scale != 1)},
                                 {"embd_pdrop", json::number(b.dropout)},
                                 {"resid_pdrop", json::number(b.dropout)},
                                 {"attn_pdrop", json::number(b.attention_dropout)},
                                 {"bos_token_id", "null"},
                                 {"eos_token_id", "null"}});
  return members;
}

constexpr ModelType kTypes[] = {{"gpt2", "GPT2"}};
constexpr std::string_view kPrefixes[] = {"transformer."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kGpt2Family = {.name = "GPT-2",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = kPrefixes,
                                   .length_field = "n_positions",
                                   .blueprint = blueprint,
                                   .names = names,
                                   .config = config};

}  // namespace locus
