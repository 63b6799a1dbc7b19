// GPT-NeoX and Pythia: rotary positions on a part of each head; attention and feed-forward side by side, each
// behind its own norm, or one after the other. Queries, keys and values of a head stand together.
// Black et al. 2022, arXiv 2204.06745; Biderman et al. 2023, arXiv 2304.01373.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("hidden_size");
  b.layers = config.size("num_hidden_layers");
  b.heads = config.size("num_attention_heads");
  b.hidden = config.size("intermediate_size");
  b.max_length = config.size("max_position_embeddings");
  b.residual = config.flag("use_parallel_residual", true) ? Residual::parallel : Residual::sequential;
  b.norm_eps = static_cast<float>(config.number("layer_norm_eps", 0, 1, 1e-5));
  b.activation = activation_of(config, "hidden_act", "gelu");
  b.fused_qkv = true;
  b.query_bias = b.key_bias = b.value_bias = b.output_bias = config.flag("attention_bias", true);
  b.dropout = static_cast<float>(config.number("hidden_dropout", 0, 0.99, 0));
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", false);
  b.labels = labels_of(config);
  b.pooling = Pooling::last;
  b.label_bias = head != HeadKind::sequence_class;
  const std::string_view part = config.has("rope_parameters.partial_rotary_factor")
                                    ? "rope_parameters.partial_rotary_factor"
                                    : "rotary_pct";
  const double rotated = static_cast<double>(b.size_of_head()) * config.number(part, 0, 1, 0.25);
  read_rotary(config, static_cast<int64_t>(rotated), b);
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "input_layernorm"},
    {"attention.out", "attention.dense"},
    {"feed_forward_norm", "post_attention_layernorm"},
    {"feed_forward.up", "mlp.dense_h_to_4h"},
    {"feed_forward.down", "mlp.dense_4h_to_h"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "gpt_neox.embed_in.weight");
  if (b.tied) map.tie("gpt_neox.embed_in.weight", "embed_out.weight");
  for (int64_t i = 0; i < b.layers; ++i) {
    const std::string ours = numbered("decoder.layers", i), theirs = numbered("gpt_neox.layers", i);
    map.modules(ours, theirs, kLayer);
    map.qkv(ours + "attention", theirs + "attention.query_key_value", {.heads = b.heads});
  }
  map.module("decoder.norm", "gpt_neox.final_layer_norm");
  map.tensor("head.weight", "embed_out.weight");
  map.alias("embed_out.weight", "lm_head.weight");  // what transformers 5 calls it, but not in files
  map.module("head.out", b.head == HeadKind::answer           ? "qa_outputs"
                         : b.head == HeadKind::sequence_class ? "score"
                                                              : "classifier");
}

json::Members config(const Blueprint& b) {
  json::Members members = named("gpt_neox", "GPTNeoX", b.head);
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"hidden_size", json::number(b.width)},
                                 {"num_hidden_layers", json::number(b.layers)},
                                 {"num_attention_heads", json::number(b.heads)},
                                 {"intermediate_size", json::number(b.hidden)},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"use_parallel_residual", json::boolean(b.residual == Residual::parallel)},
                                 {"layer_norm_eps", json::number(b.norm_eps)},
                                 {"hidden_act", json::text(activation_name(b.activation))},
                                 {"attention_bias", json::boolean(b.query_bias)},
                                 {"hidden_dropout", json::number(b.dropout)},
                                 {"attention_dropout", json::number(b.attention_dropout)},
                                 {"rope_parameters", rotary_config(b)},
                                 {"bos_token_id", "null"},
                                 {"eos_token_id", "null"}});
  return members;
}

constexpr ModelType kTypes[] = {{"gpt_neox", "GPTNeoX"}};
constexpr std::string_view kPrefixes[] = {"gpt_neox."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kNeoxFamily = {.name = "GPT-NeoX",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = kPrefixes,
                                   .blueprint = blueprint,
                                   .names = names,
                                   .config = config};

}  // namespace locus
