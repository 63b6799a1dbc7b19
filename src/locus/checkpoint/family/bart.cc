// BART and Marian: encoder-decoders with norms after the residuals. BART's positions are learned, in tables
// whose first two rows stand for nothing; Marian's are sines, all before all cosines. Lewis et al. 2019,
// arXiv 1910.13461; Junczys-Dowmunt et al. 2018, arXiv 1804.00344.
#include <algorithm>
#include <cmath>

#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  const bool marian = config.text("model_type") == "marian";
  Blueprint b;
  b.kind = ModelKind::encoder_decoder;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("d_model");
  b.layers = config.size("encoder_layers");
  b.heads = config.size("encoder_attention_heads");
  b.hidden = config.size("encoder_ffn_dim");
  b.decoder_layers = config.size("decoder_layers");
  b.decoder_heads = config.size("decoder_attention_heads");
  b.decoder_hidden = config.size("decoder_ffn_dim");
  if (b.decoder_heads != b.heads) {
    config.refuse("decoder_attention_heads",
                  "but Locus has heads of one size: expected encoder_attention_heads, {}", b.heads);
  }
  b.max_length = config.size("max_position_embeddings");
  b.scheme = marian ? "sinusoidal" : "learned";
  if (marian) b.scheme_options = {{"pairs", "halves"}};
  b.position_offset = marian ? 0 : 2;
  b.embedding_norm = !marian;
  if (config.flag("scale_embedding", false)) b.embedding_scale = std::sqrt(static_cast<float>(b.width));
  b.padding_token = padding_of(config, 1, b.vocabulary);
  b.norm_place = NormPlace::after;
  b.final_norm = false;
  b.activation = activation_of(config, "activation_function", "gelu");
  b.dropout = static_cast<float>(config.number("dropout", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attention_dropout", 0, 0.99, 0));
  b.tied = config.flag("tie_word_embeddings", true);
  b.head_bias = head == HeadKind::next_token;
  expect_flag(config, "share_encoder_decoder_embeddings", true);
  return b;
}

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
// Sines are computed, not read.
constexpr std::string_view kLeftovers[] = {".embed_positions.weight"};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "model.shared.weight");
  map.alias("model.shared.weight", "model.encoder.embed_tokens.weight");
  map.alias("model.shared.weight", "model.decoder.embed_tokens.weight");
  if (b.tied) map.tie("model.shared.weight", "lm_head.weight");
  for (const auto& [stack, layers] : {std::pair("encoder", b.layers), {"decoder", b.decoder_layers}}) {
    const std::string theirs = fmt::format("model.{}", stack), ours = stack;
    map.tensor(ours + ".scheme.table", theirs + ".embed_positions.weight");
    map.module(ours + ".embedding.norm", theirs + ".layernorm_embedding");
    for (int64_t i = 0; i < layers; ++i) {
      map.modules(numbered(ours + ".layers", i), numbered(theirs + ".layers", i), kLayer);
    }
  }
  map.tensor("head.weight", "lm_head.weight");
  // A buffer there: it is never trained.
  if (Binding* bias = map.tensor("head.bias", "final_logits_bias", {.one_row = true})) bias->constant = true;
}

json::Members config(const Blueprint& b) {
  const bool marian = b.scheme == "sinusoidal";
  json::Members members = named(marian ? "marian" : "bart", marian ? "Marian" : "Bart", b.head,
                                marian ? "MTModel" : "ForConditionalGeneration");
  const std::string padding = json::number(std::max<int64_t>(b.padding_token, 0));
  members.insert(members.end(), {{"vocab_size", json::number(b.vocabulary)},
                                 {"decoder_vocab_size", json::number(b.vocabulary)},
                                 {"d_model", json::number(b.width)},
                                 {"encoder_layers", json::number(b.layers)},
                                 {"encoder_attention_heads", json::number(b.heads)},
                                 {"encoder_ffn_dim", json::number(b.hidden)},
                                 {"decoder_layers", json::number(b.decoder_layers)},
                                 {"decoder_attention_heads", json::number(b.decoder_heads)},
                                 {"decoder_ffn_dim", json::number(b.decoder_hidden)},
                                 {"max_position_embeddings", json::number(b.max_length)},
                                 {"scale_embedding", json::boolean(b.embedding_scale != 1)},
                                 {"activation_function", json::text(activation_name(b.activation))},
                                 {"dropout", json::number(b.dropout)},
                                 {"attention_dropout", json::number(b.attention_dropout)},
                                 {"pad_token_id", padding},
                                 {"decoder_start_token_id", padding}});
  return members;
}

constexpr ModelType kTypes[] = {{"bart", "Bart"}, {"marian", "Marian"}};
constexpr std::string_view kPrefixes[] = {"model."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

}  // namespace

extern const Family kBartFamily = {.name = "BART",
                                   .types = kTypes,
                                   .heads = kHeads,
                                   .prefixes = kPrefixes,
                                   .leftovers = kLeftovers,
                                   .blueprint = blueprint,
                                   .names = names,
                                   .config = config};

}  // namespace locus
