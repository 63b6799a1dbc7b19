// BERT: learned positions that count padding, segments, norms after the residual sums.
// Devlin et al. 2018, arXiv 1810.04805.
#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace bert {

void fields(ConfigFields& f, Blueprint& b, double eps, std::string_view activation, double dropout) {
  f.size("hidden_size", b.width);
  f.size("num_hidden_layers", b.layers);
  f.size("num_attention_heads", b.attention.heads);
  f.size("intermediate_size", b.feed_forward.hidden);
  f.eps("layer_norm_eps", b.norms.eps, eps);
  f.activation("hidden_act", b.feed_forward.activation, activation);
  f.dropout("hidden_dropout_prob", b.dropout, dropout);
  f.dropout("attention_probs_dropout_prob", b.attention.dropout, dropout);
}

void read_encoder(Blueprint& b) {
  b.kind = ModelKind::encoder;
  b.scheme = "learned";
  b.embedding.norm = true;
  b.norms.place = NormPlace::after;
  b.norms.final = false;
  b.head.bias = true;
  b.head.dense = b.head.kind == HeadKind::masked_token;
}

void expect_encoder(const Config& config) {
  expect_flag(config, "is_decoder", false);
  if (config.text("position_embedding_type", "absolute") != "absolute") {
    config.unsupported("position_embedding_type", "expected absolute");
  }
}

void expect_gelu(const Config& config, const Blueprint& b) {
  if (b.head.kind == HeadKind::masked_token && b.feed_forward.activation != Activation::gelu) {
    config.unsupported("hidden_act", "expected gelu, the activation of the masked-token head");
  }
}

void embedding_names(NameMap& map, const std::string& base) {
  map.tensor("encoder.embedding.segments", base + ".embeddings.token_type_embeddings.weight");
  map.module("encoder.embedding.norm", base + ".embeddings.LayerNorm");
}

void body_names(NameMap& map, const Blueprint& b, const std::string& base) {
  constexpr NamePair kInputs[] = {
      {"attention.query", "attention.self.query"},
      {"attention.key", "attention.self.key"},
      {"attention.value", "attention.self.value"},
  };
  embedding_names(map, base);
  map.tensor("encoder.scheme.table", base + ".embeddings.position_embeddings.weight");
  map.layers("encoder.layers", base + ".encoder.layer", b.layers, kInputs);
  map.layers("encoder.layers", base + ".encoder.layer", b.layers, kOutputs);
}

void prediction_names(NameMap& map, const Blueprint& b, const std::string& base) {
  map.tokens(base + ".embeddings.word_embeddings.weight", "cls.predictions.decoder.weight", b.head.tied);
  map.module("head.dense", "cls.predictions.transform.dense");
  map.module("head.dense_norm", "cls.predictions.transform.LayerNorm");
  bias_names(map, b.head.tied, "cls.predictions.bias", "cls.predictions.decoder.bias");
}

void bias_names(NameMap& map, bool tied, std::string_view bias, std::string_view decoders) {
  map.tensor("head.bias", tied ? bias : decoders);
  map.alias(tied ? bias : decoders, tied ? decoders : bias);
}

}  // namespace bert

namespace {

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-12);
  f.size("max_position_embeddings", b.max_length);
  f.size("type_vocab_size", b.embedding.segments, 2);
}

void read(const Config& config, Blueprint& b) {
  bert::read_encoder(b);
  bert::expect_encoder(config);
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  if (b.head.kind == HeadKind::none || b.head.kind == HeadKind::sequence_class)
    b.head.pooler = Activation::tanh;
}

void names(NameMap& map, const Blueprint& b) {
  bert::prediction_names(map, b, "bert");
  bert::body_names(map, b, "bert");
  map.module("head.pooler", "bert.pooler.dense");
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"bert", "Bert"}};
constexpr std::string_view kPrefixes[] = {"bert."};

json::Members config(const Blueprint& b) { return named(kTypes[0], b.head.kind); }

}  // namespace

extern const Family kBertFamily = {.name = "BERT",
                                   .types = kTypes,
                                   .heads = kEncoderHeads,
                                   .prefixes = kPrefixes,
                                   .fields = fields,
                                   .read = read,
                                   .names = names,
                                   .config = config};

}  // namespace locus
