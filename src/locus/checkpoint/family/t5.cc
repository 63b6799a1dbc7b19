// T5, T5 v1.1, and mT5 (a multilingual v1.1): learned biases by distance bucket, RMS norms, unscaled
// attention scores. The head is tied to the token embeddings with a factor 1/sqrt(C), or separate in v1.1.
// Feed-forward may be gated. Raffel et al. 2019, arXiv 1910.10683; Xue et al. 2020, arXiv 2010.11934.
#include <cmath>

#include "locus/checkpoint/family.h"

namespace locus {
namespace {

constexpr NamePair kSecondNames[] = {{"d_model", "hidden_size"},
                                     {"num_layers", "num_hidden_layers"},
                                     {"num_heads", "num_attention_heads"},
                                     {"d_kv", "head_dim"}};
constexpr ModelType kTypes[] = {{"t5", "T5", "ForConditionalGeneration"},
                                {"mt5", "MT5", "ForConditionalGeneration"}};

bool is_mt5(const Config& config) { return config.text("model_type") == kTypes[1].name; }

void read_feed_forward(const Config& config, Blueprint& b) {
  const std::string name = config.text("feed_forward_proj", is_mt5(config) ? "gated-gelu" : "relu");
  b.feed_forward.gated = name.starts_with("gated-");
  if (name == "relu" || name == "gated-relu") {
    b.feed_forward.activation = Activation::relu;
  } else if (name == "gated-gelu" || name == "gelu_new") {
    b.feed_forward.activation = Activation::gelu_tanh;
  } else if (name == "gelu") {
    b.feed_forward.activation = Activation::gelu;
  } else if (name == "silu" || name == "gated-silu") {
    b.feed_forward.activation = Activation::silu;
  } else {
    config.unsupported("feed_forward_proj",
                       "expected one of relu, gelu, gelu_new, silu, gated-relu, gated-gelu, gated-silu");
  }
  // transformers derives these two fields from feed_forward_proj and stores them; if they differ from it,
  // they count.
  if (config.has("dense_act_fn")) b.feed_forward.activation = activation_of(config, "dense_act_fn", {});
  b.feed_forward.gated = config.flag("is_gated_act", b.feed_forward.gated);
}

void fields(ConfigFields& f, Blueprint& b) {
  f.size("d_model", b.width);
  f.size("d_kv", b.attention.head_size);
  f.size("d_ff", b.feed_forward.hidden);
  f.size("num_layers", b.layers);
  f.size("num_heads", b.attention.heads);
  f.size("n_positions", b.max_length, 512);
  f.eps("layer_norm_epsilon", b.norms.eps, 1e-6);
  f.dropout("dropout_rate", b.dropout, 0.1);
}

void read(const Config& config, Blueprint& b) {
  const bool encoder_only =
      config.count("architectures") > 0 && config.text("architectures.0").ends_with("EncoderModel");
  b.kind = encoder_only ? ModelKind::encoder : ModelKind::encoder_decoder;
  const int64_t decoder_layers = config.size("num_decoder_layers", b.layers);
  if (!encoder_only) b.decoder.layers = decoder_layers;
  b.scheme = "t5";
  const int64_t buckets = config.integer("relative_attention_num_buckets", 4, 1 << 20, 32);
  if (buckets % 2 != 0)
    config.refuse("relative_attention_num_buckets", "expected an even number, half for each direction");
  const int64_t furthest = config.integer("relative_attention_max_distance", buckets / 2 + 1, 1 << 30, 128);
  b.scheme_options = {{"buckets", fmt::format("{}", buckets)}, {"max_distance", fmt::format("{}", furthest)}};
  b.norms.kind = NormKind::rms;
  read_feed_forward(config, b);
  b.attention.query_bias = b.attention.key_bias = b.attention.value_bias = b.attention.output_bias =
      b.feed_forward.bias = false;
  b.attention.scale = 1;
  b.attention.dropout = b.dropout;
  if (!is_mt5(config) && flag_not_null(config, "scale_decoder_outputs", b.head.tied)) {
    b.head.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(b.width)));
  }
}

void attention_names(NameMap& map, const std::string& ours, const std::string& theirs,
                     std::string_view module) {
  for (const auto& [left, right] : {NamePair{"query", "q"}, {"key", "k"}, {"value", "v"}, {"out", "o"}}) {
    map.module(fmt::format("{}.{}", ours, left), fmt::format("{}.{}.{}", theirs, module, right));
  }
  map.module(ours + "_norm", theirs + ".layer_norm");
}

void stack_names(NameMap& map, const std::string& stack, int64_t layers, bool cross_attention) {
  map.tensor(stack + ".scheme.table",
             stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight");
  for (int64_t i = 0; i < layers; ++i) {
    const std::string ours = numbered(stack + ".layers", i), theirs = numbered(stack + ".block", i);
    attention_names(map, ours + "attention", theirs + "layer.0", "SelfAttention");
    if (cross_attention) attention_names(map, ours + "across", theirs + "layer.1", "EncDecAttention");
    const std::string last = theirs + (cross_attention ? "layer.2." : "layer.1.");
    map.module(ours + "feed_forward_norm", last + "layer_norm");
    map.module(ours + "feed_forward.gate", last + "DenseReluDense.wi_0");
    map.module(ours + "feed_forward.down", last + "DenseReluDense.wo");
  }
  map.module(stack + ".norm", stack + ".final_layer_norm");
}

// A bias for cross-attention in early checkpoints, which is not used.
constexpr std::string_view kLeftovers[] = {".EncDecAttention.relative_attention_bias.weight"};

void names(NameMap& map, const Blueprint& b) {
  map.tokens("shared.weight", "lm_head.weight", b.head.tied);
  map.alias("shared.weight", "encoder.embed_tokens.weight");
  map.alias("shared.weight", "decoder.embed_tokens.weight");
  stack_names(map, "encoder", b.layers, false);
  const bool both = b.kind == ModelKind::encoder_decoder;
  const int64_t decoder_layers = both ? b.decoder_part().layers : 0;
  if (both) stack_names(map, "decoder", decoder_layers, true);
  // Gated feed-forward has two input matrices, plain feed-forward has one.
  const char* up = b.feed_forward.gated ? "wi_1" : "wi";
  for (int64_t i = 0; i < b.layers; ++i) {
    map.module(numbered("encoder.layers", i) + "feed_forward.up",
               fmt::format("encoder.block.{}.layer.1.DenseReluDense.{}", i, up));
  }
  for (int64_t i = 0; i < decoder_layers; ++i) {
    map.module(numbered("decoder.layers", i) + "feed_forward.up",
               fmt::format("decoder.block.{}.layer.2.DenseReluDense.{}", i, up));
  }
}

constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

json::Members config(const Blueprint& b) {
  const bool both = b.kind == ModelKind::encoder_decoder;
  const std::string act(b.feed_forward.activation == Activation::gelu_tanh && b.feed_forward.gated
                            ? "gelu"
                            : activation_name(b.feed_forward.activation));
  json::Members members = named(kTypes[0], b.head.kind);
  if (!both) members.back().second = R"(["T5EncoderModel"])";
  members.insert(members.end(),
                 {{"num_decoder_layers", json::number(b.decoder.layers.value_or(b.layers))},
                  {"relative_attention_num_buckets", scheme_setting(b, "buckets")},
                  {"relative_attention_max_distance", scheme_setting(b, "max_distance")},
                  {"feed_forward_proj", json::text((b.feed_forward.gated ? "gated-" : "") + act)},
                  {"scale_decoder_outputs", json::boolean(b.head.scale != 1)},
                  {"is_encoder_decoder", json::boolean(both)},
                  {"pad_token_id", "0"},
                  {"decoder_start_token_id", "0"}});
  return members;
}

}  // namespace

extern const Family kT5Family = {.name = "T5",
                                 .types = kTypes,
                                 .heads = kHeads,
                                 .leftovers = kLeftovers,
                                 .second_names = kSecondNames,
                                 .fields = fields,
                                 .read = read,
                                 .names = names,
                                 .config = config};

}  // namespace locus
