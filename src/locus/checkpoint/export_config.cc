// Exports a blueprint as the config.json of a model family. Every family writes the fields it has. A setting
// that a family cannot represent shows up when the text is read back and differs.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "locus/base/parse.h"
#include "locus/checkpoint/family.h"
#include "locus/scheme/combination.h"

namespace locus {
namespace {

// Options that are the length of the model if they are 0.
constexpr std::pair<const char*, const char*> kLargestDistances[] = {
    {"deberta", "max_distance"}, {"learned+deberta", "deberta.max_distance"}};

// Sets the fields that are derived from others. Sizes that an encoder and a decoder with different numbers of
// heads derive differently stay unset.
Blueprint with_explicit_sizes(Blueprint b) {
  const bool unlike =
      b.kind == ModelKind::encoder_decoder && b.decoder_part().attention.heads != b.attention.heads;
  const bool any_size = unlike && !b.attention.head_size;
  if (!b.attention.scale && !any_size)
    b.attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(b.size_of_head())));
  if (!any_size) b.attention.head_size = b.size_of_head();
  if (!b.attention.key_heads && !unlike) b.attention.key_heads = b.attention.heads;
  b.feed_forward.hidden = b.hidden_width();
  b.embedding.width = b.row_width();
  if (b.kind == ModelKind::encoder_decoder) {
    const Blueprint decoder = b.decoder_part();
    b.decoder.layers = decoder.layers;
    b.decoder.heads = decoder.attention.heads;
    b.decoder.hidden = decoder.feed_forward.hidden;
  }
  const auto fill_width = [&](const std::string& scheme, OptionValues& options) {
    if (scheme == "rotary" && parse<int64_t>(options["width"]).value_or(0) == 0) {
      options["width"] = fmt::format("{}", b.size_of_head());
    }
  };
  fill_width(b.scheme, b.scheme_options);
  fill_width(b.global.scheme, b.global.scheme_options);
  for (const auto& [scheme, distance] : kLargestDistances) {
    if (b.scheme == scheme && parse<int64_t>(b.scheme_options[distance]).value_or(0) == 0) {
      b.scheme_options[distance] = fmt::format("{}", b.max_length);
    }
  }
  return b;
}

// Resets fields that this head does not use, and those that only training uses, to their defaults.
Blueprint without_unused(Blueprint b) {
  const Blueprint preset;
  const bool tokens = predicts_tokens(b.head.kind);
  const bool classes = b.head.kind == HeadKind::sequence_class || b.head.kind == HeadKind::token_class;
  if (!tokens) {
    b.head.tied = preset.head.tied;
    b.head.bias = preset.head.bias;
    b.head.scale = preset.head.scale;
    b.head.cap = preset.head.cap;
  }
  if (b.head.kind == HeadKind::none || b.head.kind == HeadKind::embedding) b.head.dense = preset.head.dense;
  if (!b.head.dense) b.head.dense_bias = preset.head.dense_bias;
  if (b.norms.kind != NormKind::layer) b.norms.bias = preset.norms.bias;
  if (!classes) b.head.labels = preset.head.labels;
  if (!classes && b.head.kind != HeadKind::answer) b.head.label_bias = preset.head.label_bias;
  if (b.head.kind != HeadKind::sequence_class && b.head.kind != HeadKind::embedding)
    b.head.pooling = preset.head.pooling;
  if (b.head.kind != HeadKind::embedding) b.head.normalize = preset.head.normalize;
  if (scheme_info(b.scheme).relative) {
    b.positions = preset.positions;
    b.position_offset = preset.position_offset;
  }
  // With a single global-attention layer, every spacing that puts the next one past the last layer is the
  // same.
  if (b.global.every > 0 && b.global.first < b.layers && b.global.first + b.global.every >= b.layers) {
    b.global.every = b.layers;
  }
  b.dropout = b.attention.dropout = 0;
  b.init_std = preset.init_std;
  b.embedding.padding_token = preset.embedding.padding_token;
  b.attention.fused_qkv = preset.attention.fused_qkv;
  return b;
}

// A canonical form of what a blueprint computes: equal for two blueprints that compute the same.
OptionValues canonical_values(const Blueprint& blueprint) {
  Blueprint b = without_unused(with_explicit_sizes(blueprint));
  const auto complete = [](const std::string& scheme, OptionValues& options) {
    options = Options(scheme, scheme_info(scheme).options.list(), options).values();
    std::erase_if(options, [](const auto& option) {
      const std::string_view name = own_name(option.first);
      return name == "precision" || name == "std";  // they affect only the last bits, and initialization
    });
  };
  complete(b.scheme, b.scheme_options);
  if (!b.global.scheme.empty()) complete(b.global.scheme, b.global.scheme_options);
  for (const std::string part : {"", "deberta."}) {  // without a norm, its epsilon has no effect
    const auto norm = b.scheme_options.find(part + "norm");
    if (norm != b.scheme_options.end() && norm->second == "false") b.scheme_options.erase(part + "norm_eps");
  }
  return values_of(b);
}

bool same(const std::string& left, const std::string& right) {
  const auto a = parse<double>(left), b = parse<double>(right);
  return left == right || (a && b && *a == *b);
}

// A field of a blueprint that a family cannot represent, and the value that it can.
struct Difference {
  std::string name, value, wanted;
};

std::vector<Difference> differences(const Blueprint& wanted, const Blueprint& found) {
  const OptionValues left = canonical_values(wanted), right = canonical_values(found);
  std::vector<Difference> result;
  for (const auto& [name, value] : left) {
    const auto other = right.find(name);
    // If the schemes differ, their options are not listed as further differences.
    const bool option = name.find("scheme.") != std::string::npos && !name.ends_with(".name");
    const bool of_another =
        option && (name.starts_with("global_") ? wanted.global.scheme != found.global.scheme
                                               : wanted.scheme != found.scheme);
    if (of_another || (other != right.end() && same(value, other->second))) continue;
    result.push_back({name, value, other == right.end() ? "none" : other->second});
  }
  if (wanted.attention.fused_qkv && !found.attention.fused_qkv)
    result.push_back({"fused_qkv", "true", "false"});
  return result;
}

std::string config_of(const Family& family, Blueprint b) {
  json::Members members = family.config(b);
  ConfigFields fields(members);
  fields.size("vocab_size", b.vocabulary);
  fields.flag("tie_word_embeddings", b.head.tied, family.tied);
  fields.size("num_labels", b.head.labels);
  family.fields(fields, b);
  if (b.kind == ModelKind::decoder) {  // a blueprint does not define special tokens
    members.insert(members.end(), {{"bos_token_id", "null"}, {"eos_token_id", "null"}});
  }
  members.insert(members.end(),
                 {{"initializer_range", json::number(b.initial_std())}, {"dtype", json::text("float32")}});
  return json::lines(members);
}

// Why a family cannot represent the blueprint; no reasons if it can.
struct UnsupportedFields {
  std::vector<Difference> fields;
  std::string error = "";  // if the text could not be read back: the only reason

  bool none() const { return fields.empty() && error.empty(); }
  // An encoder is nearest to encoders, however many fields differ.
  bool operator<(const UnsupportedFields& other) const {
    return std::tuple(!error.empty(), is_other_kind(), fields.size()) <
           std::tuple(!other.error.empty(), other.is_other_kind(), other.fields.size());
  }
  bool is_other_kind() const { return std::ranges::count(fields, "kind", &Difference::name) > 0; }
  // "gated is true, expected false"
  std::string reasons() const {
    std::vector<std::string> list;
    for (const Difference& one : fields) {
      list.push_back(fmt::format("{} is {}, expected {}", one.name, one.value, one.wanted));
    }
    return fields.empty() ? error : fmt::format("{}", fmt::join(list, "; "));
  }
  std::string hint(std::string_view family) const {
    std::vector<std::string> list;
    for (const Difference& one : fields) list.push_back(fmt::format("model.{} = {}", one.name, one.wanted));
    return fields.empty() ? ""
                          : fmt::format("a model that is trained with {} can be exported as {}",
                                        fmt::join(list, ", "), family);
  }
};

UnsupportedFields unsupported_fields(const Blueprint& b, const std::string& config) {
  try {
    Blueprint found = read_architecture(Config(config, "config.json")).blueprint;
    // Optional weights, which config.json does not mention.
    if (b.head.kind == HeadKind::none && b.head.pooler == Activation::none)
      found.head.pooler = Activation::none;
    if (b.kind == ModelKind::encoder_decoder && !b.head.bias) found.head.bias = false;
    return {differences(b, found)};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace

ExportedConfig export_config(const Blueprint& blueprint) {
  refuse("blueprint", problems(blueprint));
  const Blueprint full = with_explicit_sizes(blueprint);
  const Family* nearest = nullptr;
  UnsupportedFields fewest;
  for (const Family* family : families()) {
    std::string config = config_of(*family, full);
    UnsupportedFields unsupported = unsupported_fields(full, config);
    if (unsupported.none()) return {family, std::move(config), full};
    if (!nearest || unsupported < fewest) {
      nearest = family;
      fewest = std::move(unsupported);
    }
  }
  fail({Fault::data, Code::unsupported_field, fewest.hint(nearest->name)},
       "no model family can represent this model as config.json; the nearest is {}, but {}", nearest->name,
       fewest.reasons());
}

}  // namespace locus
