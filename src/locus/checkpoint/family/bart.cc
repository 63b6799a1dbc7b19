// BART and Marian: post-norm encoder-decoders. BART has learned positions, in tables whose first two rows are
// unused. Marian has sinusoidal positions, with all sines before all cosines. Lewis et al. 2019, arXiv
// 1910.13461; Junczys-Dowmunt et al. 2018, arXiv 1804.00344. For classification and question answering, the
// decoder of BART reads the same text as the encoder.
#include "locus/checkpoint/family/bart.h"

#include <algorithm>
#include <cmath>

namespace locus {

void bart::sizes(ConfigFields& f, Blueprint& b) {
  f.size("d_model", b.width);
  f.size("encoder_layers", b.layers);
  f.size("encoder_attention_heads", b.attention.heads);
  f.size("encoder_ffn_dim", b.feed_forward.hidden);
  f.size("decoder_layers", b.decoder.layers);
  f.size("decoder_attention_heads", b.decoder.heads);
  f.size("decoder_ffn_dim", b.decoder.hidden);
  f.size("max_position_embeddings", b.max_length);
  f.dropout("dropout", b.dropout, 0.1);
}

void bart::fields(ConfigFields& f, Blueprint& b) {
  sizes(f, b);
  f.activation("activation_function", b.feed_forward.activation, "gelu");
  f.dropout("attention_dropout", b.attention.dropout, 0);
}

void bart::read(const Config& config, Blueprint& b, const Presets& presets) {
  b.kind = ModelKind::encoder_decoder;
  if (config.flag("scale_embedding", presets.scaled))
    b.embedding.scale = std::sqrt(static_cast<float>(b.width));
  b.embedding.padding_token = padding_of(config, presets.padding, b.vocabulary);
  b.head.bias = b.head.kind == HeadKind::next_token;
  expect_flag(config, "share_encoder_decoder_embeddings", true);
  if (config.size("decoder_vocab_size", b.vocabulary) != b.vocabulary)
    config.unsupported("decoder_vocab_size", "expected vocab_size, {}", b.vocabulary);
}

void bart::read_learned(Blueprint& b) {
  b.scheme = "learned";
  b.position_offset = 2;
  b.embedding.norm = true;
}

void bart::read_sines(Blueprint& b) {
  b.scheme = "sinusoidal";
  b.scheme_options = {{"pairs", "halves"}};
}

void bart::names(NameMap& map, const Blueprint& b) {
  constexpr NamePair kLayer[] = {
      {"attention.query", "self_attn.q_proj"},
      {"attention.key", "self_attn.k_proj"},
      {"attention.value", "self_attn.v_proj"},
      {"attention.out", "self_attn.out_proj"},
      {"attention_norm", "self_attn_layer_norm"},
      {"across.query", "encoder_attn.q_proj"},
      {"across.key", "encoder_attn.k_proj"},
      {"across.value", "encoder_attn.v_proj"},
      {"across.out", "encoder_attn.out_proj"},
      {"across_norm", "encoder_attn_layer_norm"},
      {"feed_forward.up", "fc1"},
      {"feed_forward.down", "fc2"},
      {"feed_forward_norm", "final_layer_norm"},
  };
  map.tokens("model.shared.weight", "lm_head.weight", b.head.tied);
  map.alias("model.shared.weight", "model.encoder.embed_tokens.weight");
  map.alias("model.shared.weight", "model.decoder.embed_tokens.weight");
  for (const auto& [stack, layers] : {std::pair("encoder", b.layers), {"decoder", b.decoder_part().layers}}) {
    const std::string theirs = fmt::format("model.{}", stack), ours = stack;
    map.tensor(ours + ".scheme.table", theirs + ".embed_positions.weight");
    map.module(ours + ".embedding.norm", theirs + ".layernorm_embedding");
    map.layers(ours + ".layers", theirs + ".layers", layers, kLayer);
    map.module(ours + ".norm", theirs + ".layer_norm");
  }
  // In transformers this is a buffer, which is never trained.
  if (Binding* bias = map.tensor("head.bias", "final_logits_bias", {.one_row = true})) bias->constant = true;
  map.module("head.pooler", "classification_head.dense");
  map.module("head.out", b.head.kind == HeadKind::answer ? label_module(b) : "classification_head.out_proj");
}

json::Members bart::config(const ModelType& type, const Blueprint& b, int64_t start) {
  json::Members members = named(type, b.head.kind);
  const int64_t padding = b.embedding.padding_token.value_or(0);
  members.insert(members.end(), {{"decoder_vocab_size", json::number(b.vocabulary)},
                                 {"scale_embedding", json::boolean(b.embedding.scale != 1)},
                                 {"pad_token_id", json::number(padding)},
                                 {"decoder_start_token_id", json::number(start < 0 ? padding : start)}});
  return members;
}

namespace {

void read_after(const Config& config, Blueprint& b) {
  bart::read(config, b);
  b.norms.place = NormPlace::after;
  b.norms.final = false;
}

void read_bart(const Config& config, Blueprint& b) {
  read_after(config, b);
  bart::read_learned(b);
  if (b.head.kind == HeadKind::sequence_class) {
    b.head.pooling = Pooling::last;
    b.head.pooler = Activation::tanh;
  }
}

void read_marian(const Config& config, Blueprint& b) {
  read_after(config, b);
  bart::read_sines(b);
}

constexpr ModelType kBart[] = {{"bart", "Bart", "ForConditionalGeneration"}};
constexpr ModelType kMarian[] = {{"marian", "Marian", "MTModel"}};
constexpr HeadKind kBartHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                                   HeadKind::answer};

json::Members bart_config(const Blueprint& b) { return bart::config(kBart[0], b); }
json::Members marian_config(const Blueprint& b) { return bart::config(kMarian[0], b); }

}  // namespace

extern const Family kBartFamily = {.name = "BART",
                                   .types = kBart,
                                   .heads = kBartHeads,
                                   .prefixes = bart::kPrefixes,
                                   .second_names = bart::kSecondNames,
                                   .fields = bart::fields,
                                   .read = read_bart,
                                   .names = bart::names,
                                   .config = bart_config};

extern const Family kMarianFamily = {.name = "Marian",
                                     .types = kMarian,
                                     .heads = bart::kHeads,
                                     .prefixes = bart::kPrefixes,
                                     .sine_tables = true,
                                     .second_names = bart::kSecondNames,
                                     .fields = bart::fields,
                                     .read = read_marian,
                                     .names = bart::names,
                                     .config = marian_config};

}  // namespace locus
