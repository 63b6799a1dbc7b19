// GPT-Neo: GPT-2 with separate query, key and value matrices, unscaled attention scores, and alternating
// layers with global and sliding-window attention. Black et al. 2021, doi 10.5281/zenodo.5297715.
#include <algorithm>

#include "locus/checkpoint/family.h"

namespace locus {
namespace {

// Expands [[["global", "local"], 6]]: each list of kinds repeated that many times.
std::vector<std::string> layer_kinds(const Config& config) {
  std::vector<std::string> kinds;
  for (int64_t i = 0; i < config.count("attention_types"); ++i) {
    const std::vector<std::string> group = config.texts(fmt::format("attention_types.{}.0", i));
    for (int64_t n = config.integer(fmt::format("attention_types.{}.1", i), 0, 10000); n > 0; --n) {
      kinds.insert(kinds.end(), group.begin(), group.end());
    }
  }
  return kinds;
}

// attention_layers lists the same kinds, one per layer, and takes precedence in transformers.
void expect_same_kinds(const Config& config, const std::vector<std::string>& kinds) {
  const char* field = "attention_layers";
  if (config.has(field) && config.texts(field) != kinds)
    config.refuse(field, "expected the kinds of attention_types, {}", fmt::join(kinds, ", "));
}

void fields(ConfigFields& f, Blueprint& b) {
  f.size("hidden_size", b.width);
  f.size("num_layers", b.layers);
  f.size("num_heads", b.attention.heads);
  f.size("intermediate_size", b.feed_forward.hidden, 4 * b.width);
  f.size("max_position_embeddings", b.max_length, 2048);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-5);
  f.activation("activation_function", b.feed_forward.activation, "gelu_new");
  f.dropout("resid_dropout", b.dropout, 0);
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void read(const Config& config, Blueprint& b) {
  b.scheme = "learned";
  b.attention.scale = 1;
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = false;
  const std::vector<std::string> kinds = layer_kinds(config);
  read_window(config, {"attention_types", kinds, "global", "local"}, config.size("window_size", 256), b);
  expect_same_kinds(config, kinds);
}

constexpr NamePair kLayer[] = {
    {"attention_norm", "ln_1"},
    {"attention.query", "attn.attention.q_proj"},
    {"attention.key", "attn.attention.k_proj"},
    {"attention.value", "attn.attention.v_proj"},
    {"attention.out", "attn.attention.out_proj"},
    {"feed_forward_norm", "ln_2"},
    {"feed_forward.up", "mlp.c_fc"},
    {"feed_forward.down", "mlp.c_proj"},
};
// Attention masks, which Locus computes.
constexpr std::string_view kLeftovers[] = {".attn.attention.bias", ".attn.attention.masked_bias"};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("transformer.wte.weight", "lm_head.weight", b.head.tied);
  map.tensor("decoder.scheme.table", "transformer.wpe.weight");
  map.layers("decoder.layers", "transformer.h", b.layers, kLayer);
  map.module("decoder.norm", "transformer.ln_f");
  map.module("head.out", label_module(b));
}

constexpr NamePair kSecondNames[] = {{"num_layers", "num_hidden_layers"},
                                     {"num_heads", "num_attention_heads"}};
constexpr ModelType kTypes[] = {{"gpt_neo", "GPTNeo"}};
constexpr std::string_view kPrefixes[] = {"transformer."};

json::Members config(const Blueprint& b) {
  std::vector<std::string> kinds;
  for (int64_t i = 0; i < b.layers; ++i)
    kinds.push_back(fmt::format(R"([["{}"], 1])", b.window_of(i) > 0 ? "local" : "global"));
  json::Members members = named(kTypes[0], b.head.kind);
  members.insert(members.end(), {{"attention_types", json::list(kinds)},
                                 {"window_size", json::number(std::max<int64_t>(b.attention.window, 1))},
                                 {"embed_dropout", json::number(b.dropout)}});
  return members;
}

}  // namespace

extern const Family kGptNeoFamily = {.name = "GPT-Neo",
                                     .types = kTypes,
                                     .heads = kDecoderHeads,
                                     .prefixes = kPrefixes,
                                     .segments_are_tokens = true,
                                     .packs_by_position = true,
                                     .leftovers = kLeftovers,
                                     .second_names = kSecondNames,
                                     .fields = fields,
                                     .read = read,
                                     .names = names,
                                     .config = config};

}  // namespace locus
