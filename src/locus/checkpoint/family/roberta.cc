// RoBERTa and XLM-R: BERT with learned positions that count the tokens that are no padding, from the padding
// token's number plus one on.
// Liu et al. 2019, arXiv 1907.11692; Conneau et al. 2019, arXiv 1911.02116.
#include "locus/checkpoint/family.h"

namespace locus {
namespace {

Blueprint blueprint(const Config& config, HeadKind head) {
  Blueprint b;
  b.kind = ModelKind::encoder;
  b.vocabulary = config.size("vocab_size");
  b.width = config.size("hidden_size");
  b.layers = config.size("num_hidden_layers");
  b.heads = config.size("num_attention_heads");
  b.hidden = config.size("intermediate_size");
  b.segments = config.size("type_vocab_size", 1);
  b.scheme = "learned";
  b.padding_token = static_cast<int32_t>(config.integer("pad_token_id", 0, b.vocabulary - 1, 1));
  b.positions = PositionPolicy::Kind::count;
  b.position_offset = b.padding_token + 1;
  b.max_length =
      config.integer("max_position_embeddings", b.position_offset + 1, 1 << 24) - b.position_offset;
  b.embedding_norm = true;
  b.norm_place = NormPlace::after;
  b.final_norm = false;
  b.norm_eps = static_cast<float>(config.number("layer_norm_eps", 0, 1, 1e-12));
  b.activation = activation_of(config, "hidden_act", "gelu");
  if (head == HeadKind::masked_token && b.activation != Activation::gelu) {
    config.refuse("hidden_act", "but the head for masked tokens has gelu: expected gelu");
  }
  b.dropout = static_cast<float>(config.number("hidden_dropout_prob", 0, 0.99, 0.1));
  b.attention_dropout = static_cast<float>(config.number("attention_probs_dropout_prob", 0, 0.99, 0.1));
  b.head_dense = b.head_bias = true;
  b.tied = config.flag("tie_word_embeddings", true);
  b.labels = labels_of(config);
  if (head == HeadKind::none || head == HeadKind::sequence_class) b.pooler = Activation::tanh;
  expect_flag(config, "is_decoder", false);
  if (config.text("position_embedding_type", "absolute") != "absolute") {
    config.refuse("position_embedding_type", "but Locus opens such models with absolute positions only");
  }
  return b;
}

constexpr NamePair kLayer[] = {
    {"attention.query", "attention.self.query"},
    {"attention.key", "attention.self.key"},
    {"attention.value", "attention.self.value"},
    {"attention.out", "attention.output.dense"},
    {"attention_norm", "attention.output.LayerNorm"},
    {"feed_forward.up", "intermediate.dense"},
    {"feed_forward.down", "output.dense"},
    {"feed_forward_norm", "output.LayerNorm"},
};

void names(NameMap& map, const Blueprint& b) {
  map.tensor("tokens", "roberta.embeddings.word_embeddings.weight");
  if (b.tied) map.tie("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight");
  map.tensor("encoder.scheme.table", "roberta.embeddings.position_embeddings.weight");
  map.tensor("encoder.embedding.segments", "roberta.embeddings.token_type_embeddings.weight");
  map.module("encoder.embedding.norm", "roberta.embeddings.LayerNorm");
  for (int64_t i = 0; i < b.layers; ++i) {
    map.modules(numbered("encoder.layers", i), numbered("roberta.encoder.layer", i), kLayer);
  }
  const bool classes = b.head == HeadKind::sequence_class;
  map.module("head.pooler", classes ? "classifier.dense" : "roberta.pooler.dense");
  map.module("head.dense", "lm_head.dense");
  map.module("head.dense_norm", "lm_head.layer_norm");
  map.tensor("head.weight", "lm_head.decoder.weight");
  // Two names for one tensor where the head is tied; where it is not, the decoder's is the one that counts.
  const char *bias = "lm_head.bias", *own = "lm_head.decoder.bias";
  map.tensor("head.bias", b.tied ? bias : own);
  map.alias(b.tied ? bias : own, b.tied ? own : bias);
  map.module("head.out", classes                      ? "classifier.out_proj"
                         : b.head == HeadKind::answer ? "qa_outputs"
                                                      : "classifier");
}

constexpr ModelType kTypes[] = {{"roberta", "Roberta"}, {"xlm-roberta", "XLMRoberta"}};
constexpr std::string_view kPrefixes[] = {"roberta."};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                               HeadKind::token_class, HeadKind::answer};

}  // namespace

extern const Family kRobertaFamily = {.name = "RoBERTa",
                                      .types = kTypes,
                                      .heads = kHeads,
                                      .prefixes = kPrefixes,
                                      .length_counts_offset = true,
                                      .padding_by_id = true,
                                      .blueprint = blueprint,
                                      .names = names};

}  // namespace locus
