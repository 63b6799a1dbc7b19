// DeBERTa, v1 and v2 (v3 is v2 with other settings): disentangled attention. v1 has one fused matrix with
// query, key and value of each head together, no bias on keys, and one slot per distance. v2 has separate
// matrices and log buckets. He, Liu, Gao, Chen 2020, arXiv 2006.03654; He, Gao, Chen 2021, arXiv 2111.09543.
#include <algorithm>
#include <cmath>

#include "locus/checkpoint/family/bert.h"

namespace locus {
namespace {

// With position_biased_input, learned positions are also added to the input.
constexpr const char* kBoth = "learned+deberta";

// "c2p|p2c" or a list of the two.
std::vector<std::string> attention_types(const Config& config) {
  if (!config.has("pos_att_type")) return {};
  std::vector<std::string> types;
  if (config.is_list("pos_att_type")) {
    types = config.texts("pos_att_type");
  } else {
    std::string all = config.text("pos_att_type");
    for (size_t bar = 0; (bar = all.find('|')) != std::string::npos; all.erase(0, bar + 1)) {
      types.push_back(all.substr(0, bar));
    }
    types.push_back(all);
  }
  for (std::string& type : types) {
    std::erase(type, ' ');
    if (type != "c2p" && type != "p2c") config.refuse("pos_att_type", "expected c2p, p2c or c2p|p2c");
  }
  if (types.size() > 2 || (types.size() == 2 && types[0] == types[1]))
    config.refuse("pos_att_type", "expected c2p and p2c at most once each");
  return types;
}

void read_positions(const Config& config, bool v1, Blueprint& b) {
  const std::vector<std::string> types = attention_types(config);
  b.attention.scale = static_cast<float>(
      1 / std::sqrt(static_cast<double>(b.size_of_head()) * static_cast<double>(1 + types.size())));
  const bool relative = config.flag("relative_attention", false);
  const bool absolute = config.flag("position_biased_input", true);
  b.scheme = relative && absolute ? kBoth : relative ? "deberta" : absolute ? "learned" : "none";
  const int64_t given = config.integer("max_relative_positions", -1, 1 << 24, -1);
  // The first version has neither of these.
  const int64_t slots = config.integer("position_buckets", -1, 1 << 20, -1), buckets = v1 ? 0 : slots;
  const std::string norm = config.text("norm_rel_ebd", "none");
  const bool shared = config.flag("share_att_key", false) && !v1;
  if (!relative) return;
  if (types.empty())
    config.refuse("pos_att_type", "expected c2p, p2c or c2p|p2c, because relative_attention is true");
  if (buckets > 0 && buckets < 4) config.refuse("position_buckets", "expected at least 4, or -1 for none");
  // Log buckets divide by log((furthest - 1) / (buckets / 2)), which must be positive.
  const int64_t furthest = given > 0 ? given : b.max_length;
  if (buckets > 0 && furthest <= buckets / 2 + 1) {
    config.refuse(given > 0 ? "max_relative_positions" : "max_position_embeddings",
                  "expected more than half of position_buckets, {}, plus 1", buckets);
  }
  const auto whether = [](bool value) { return value ? "true" : "false"; };
  const OptionValues options = {
      {"terms", types.size() == 2 ? "both" : types[0]},
      {"buckets", fmt::format("{}", std::max<int64_t>(buckets, 0))},
      {"max_distance", fmt::format("{}", furthest)},
      {"shared", whether(shared)},
      {"key_bias", whether(!v1)},
      {"norm", whether(!v1 && norm.find("layer_norm") != std::string::npos)},
      {"norm_eps", fmt::format("{}", b.norms.eps)},
  };
  for (const auto& [name, value] : options)
    b.scheme_options.emplace((absolute ? "deberta." : "") + name, value);
}

void fields(ConfigFields& f, Blueprint& b) {
  bert::fields(f, b, 1e-7);
  f.size("max_position_embeddings", b.max_length);
}

void read(const Config& config, Blueprint& b) {
  const bool v1 = config.text("model_type") == "deberta";
  bert::read_encoder(b);
  for (const char* field : {"embedding_size", "pooler_hidden_size"}) {
    if (config.size(field, b.width) != b.width) {
      config.unsupported(field, "expected hidden_size, {}", b.width);
    }
  }
  if (b.width % b.attention.heads != 0)
    config.refuse("hidden_size", "expected a multiple of num_attention_heads, {}", b.attention.heads);
  b.attention.head_size = config.size("attention_head_size", b.width / b.attention.heads);
  b.embedding.segments = config.integer("type_vocab_size", 0, 1 << 24, 0);
  b.embedding.padding_token = padding_of(config, 0, b.vocabulary);
  b.attention.key_bias = !v1;
  const bool activation = config.has("pooler_hidden_act");
  if (b.head.kind == HeadKind::sequence_class)
    b.head.pooler = activation ? activation_of(config, "pooler_hidden_act", {}) : Activation::gelu;
  read_positions(config, v1, b);
  expect_flag(config, "talking_head", false);
  if (config.integer("conv_kernel_size", 0, 1 << 20, 0) > 0) {
    config.unsupported("conv_kernel_size", "expected 0");
  }
}

// Query, key and value projections of v1: one matrix, and biases of queries and values only.
void joined_names(NameMap& map, const std::string& ours, const std::string& theirs, int64_t heads) {
  map.joined({ours + "query.weight", ours + "key.weight", ours + "value.weight"}, theirs + "in_proj.weight",
             {.groups = heads});
  map.tensor(ours + "query.bias", theirs + "q_bias");
  map.tensor(ours + "value.bias", theirs + "v_bias");
}

// The names of the scheme `part`, which may be a part of the model's scheme.
std::string scheme_name(const Blueprint& b, const char* part) {
  return b.scheme == kBoth ? fmt::format("encoder.scheme.{}.", part) : "encoder.scheme.";
}

void attention_names(NameMap& map, const Blueprint& b, int64_t i) {
  constexpr NamePair kInputs[] = {{"query", "query_proj"}, {"key", "key_proj"}, {"value", "value_proj"}};
  const bool v1 = !b.attention.key_bias;
  const std::string ours = numbered("encoder.layers", i) + "attention.";
  const std::string theirs = numbered("deberta.encoder.layer", i) + "attention.self.";
  v1 ? joined_names(map, ours, theirs, b.attention.heads) : map.modules(ours, theirs, kInputs);
  const std::string positions = numbered(scheme_name(b, "deberta") + "layer", i);
  map.module(positions + "key", theirs + (v1 ? "pos_proj" : "pos_key_proj"));
  map.module(positions + "query", theirs + (v1 ? "pos_q_proj" : "pos_query_proj"));
}

void names(NameMap& map, const Blueprint& b) {
  // The masked-token head is the one that config.json calls legacy; the other one has different names.
  bert::prediction_names(map, b, "deberta");
  bert::embedding_names(map, "deberta");
  if (b.scheme != "deberta") {
    map.tensor(scheme_name(b, "learned") + "table", "deberta.embeddings.position_embeddings.weight");
  }
  if (b.scheme != "learned") {
    map.tensor(scheme_name(b, "deberta") + "table", "deberta.encoder.rel_embeddings.weight");
    map.module(scheme_name(b, "deberta") + "norm", "deberta.encoder.LayerNorm");
  }
  for (int64_t i = 0; i < b.layers; ++i) attention_names(map, b, i);
  map.layers("encoder.layers", "deberta.encoder.layer", b.layers, bert::kOutputs);
  map.module("head.pooler", "pooler.dense");
  map.alias("cls.predictions.bias", "lm_predictions.lm_head.bias");
  for (const char* part : {"weight", "bias"}) {
    map.alias(fmt::format("cls.predictions.transform.dense.{}", part),
              fmt::format("lm_predictions.lm_head.dense.{}", part));
    map.alias(fmt::format("cls.predictions.transform.LayerNorm.{}", part),
              fmt::format("lm_predictions.lm_head.LayerNorm.{}", part));
  }
  map.module("head.out", label_module(b));
}

constexpr ModelType kTypes[] = {{"deberta", "Deberta"}, {"deberta-v2", "DebertaV2"}};
constexpr std::string_view kPrefixes[] = {"deberta."};

json::Members config(const Blueprint& b) {
  const bool both = b.scheme == kBoth, relative = both || b.scheme == "deberta";
  json::Members members = named(kTypes[b.attention.key_bias ? 1 : 0], b.head.kind);
  members.insert(members.end(), {{"relative_attention", json::boolean(relative)},
                                 {"position_biased_input", json::boolean(both || b.scheme == "learned")},
                                 {"attention_head_size", json::number(b.size_of_head())},
                                 {"type_vocab_size", json::number(b.embedding.segments)},
                                 {"pooler_hidden_size", json::number(b.width)},
                                 {"pooler_hidden_act", json::text(activation_name(b.head.pooler))},
                                 {"pooler_dropout", json::number(b.dropout)}});
  if (!relative) return members;
  const auto setting = [&](const char* name) {
    return scheme_setting(b, std::string(both ? "deberta." : "") + name);
  };
  const std::string terms = setting("terms");
  const bool norm = setting("norm") == "true";
  members.insert(members.end(), {{"pos_att_type", json::text(terms == "both" ? "c2p|p2c" : terms)},
                                 {"position_buckets", setting("buckets")},
                                 {"max_relative_positions", setting("max_distance")},
                                 {"share_att_key", setting("shared")},
                                 {"norm_rel_ebd", json::text(norm ? "layer_norm" : "none")}});
  return members;
}

}  // namespace

extern const Family kDebertaFamily = {.name = "DeBERTa",
                                      .types = kTypes,
                                      .heads = kEncoderHeads,
                                      .prefixes = kPrefixes,
                                      .fields = fields,
                                      .read = read,
                                      .names = names,
                                      .config = config};

}  // namespace locus
