#include "locus/checkpoint/config_fields.h"

#include <algorithm>
#include <utility>

namespace locus {
namespace {

// Several names may mean the same function; config.json is written with the first one.
constexpr std::pair<std::string_view, Activation> kActivations[] = {
    {"gelu", Activation::gelu},           {"gelu_python", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},  {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh}, {"relu", Activation::relu},
    {"silu", Activation::silu},           {"swish", Activation::silu},
    {"tanh", Activation::tanh},
};

}  // namespace

void ConfigFields::size(std::string_view name, int64_t& value, std::optional<int64_t> preset) {
  if (to_) return write(name, json::number(value));
  value = from_->size(name, preset);
}

void ConfigFields::size(std::string_view name, std::optional<int64_t>& value, std::optional<int64_t> preset) {
  if (to_) return write(name, json::number(value.value_or(0)));
  value = from_->size(name, preset);
}

void ConfigFields::flag(std::string_view name, bool& value, bool preset) {
  if (to_) return write(name, json::boolean(value));
  value = from_->flag(name, preset);
}

void ConfigFields::eps(std::string_view name, float& value, double preset) {
  real(name, value, preset, {0, 1});
}

void ConfigFields::dropout(std::string_view name, float& value, double preset) {
  real(name, value, preset, {0, 0.99});
}

void ConfigFields::scale(std::string_view name, float& value, double preset) {
  real(name, value, preset, {-1e6, 1e6});
}

void ConfigFields::real(std::string_view name, float& value, double preset, Limits limits) {
  if (to_) return write(name, fraction(value));
  value = static_cast<float>(from_->number(name, limits.least, limits.most, preset));
}

void ConfigFields::activation(std::string_view name, Activation& value, std::string_view preset) {
  if (to_) return write(name, json::text(activation_name(value)));
  value = activation_of(*from_, name, preset);
}

std::string_view ConfigFields::either(std::string_view first, std::string_view second) const {
  return from_ && !from_->has(first) ? second : first;
}

std::string_view activation_name(Activation activation) {
  const auto* const found =
      std::ranges::find(kActivations, activation, &std::pair<std::string_view, Activation>::second);
  return found == std::end(kActivations) ? "linear" : found->first;
}

Activation activation_of(const Config& config, std::string_view field, std::string_view preset) {
  const std::string name = config.text(field, preset);
  const auto* const found =
      std::ranges::find(kActivations, name, &std::pair<std::string_view, Activation>::first);
  if (found != std::end(kActivations)) return found->second;
  config.refuse(
      field,
      "expected one of gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, gelu_python, relu, silu, swish, tanh");
}

int64_t labels_of(const Config& config) {
  return config.size("num_labels",
                     std::max<int64_t>(config.count("id2label"), 0) > 0 ? config.count("id2label") : 2);
}

std::optional<int32_t> padding_of(const Config& config, std::optional<int64_t> preset, int64_t vocabulary) {
  if (!config.has("pad_token_id") && !preset) return std::nullopt;
  const auto token = static_cast<int32_t>(config.integer("pad_token_id", -1, vocabulary - 1, preset));
  return token < 0 ? std::nullopt : std::optional(token);
}

std::string fraction(float value) {
  const std::string text = json::number(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string window_config(const Blueprint& b) {
  return b.attention.window > 0 ? json::number(b.attention.window) : "null";
}

std::string padding_config(const Blueprint& b) {
  return b.embedding.padding_token ? json::number(int64_t{*b.embedding.padding_token}) : "null";
}

int32_t token_of(const Config& config, std::string_view field, int64_t vocabulary) {
  return static_cast<int32_t>(config.integer(field, 0, vocabulary - 1));
}

size_t without_padding(const Config& config, const Blueprint& b, std::span<const int32_t> ids) {
  const std::optional<int32_t> padding = padding_of(config, b.embedding.padding_token, b.vocabulary);
  size_t size = ids.size();
  while (size > 1 && ids[size - 1] == padding) --size;
  return size;
}

void read_window(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& b) {
  const std::vector<std::string>& words = kinds.words;
  if (std::ssize(words) != b.layers) {
    config.refuse(kinds.field, "which has entries for {} layers, expected {}", words.size(), b.layers);
  }
  const auto is_global = [&](int64_t layer) { return words[static_cast<size_t>(layer)] == kinds.global; };
  if (std::ranges::count(words, kinds.global) == b.layers) return;
  b.attention.window = window;
  const auto next = [&](int64_t layer) {
    while (layer < b.layers && !is_global(layer)) ++layer;
    return layer;
  };
  if (const int64_t first = next(0); first < b.layers) {
    const int64_t second = next(first + 1);
    b.global.first = first;
    b.global.every = second < b.layers ? second - first : b.layers;
  }
  for (int64_t i = 0; i < b.layers; ++i) {
    if (words[static_cast<size_t>(i)] == (b.is_global(i) ? kinds.global : kinds.windowed)) continue;
    config.refuse(kinds.field,
                  "with '{}' for layer {}, expected equally spaced layers of {} and {} for all others",
                  words[static_cast<size_t>(i)], i, kinds.global, kinds.windowed);
  }
}

void read_nope_layers(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& b) {
  read_window(config, kinds, window, b);
  if (std::ranges::count(kinds.words, kinds.global) == b.layers) b.global.every = 1;
  if (b.global.every > 0) b.global.scheme = "none";
}

LayerKinds layer_kinds(const Config& config, const GlobalLayers& old, int64_t layers) {
  LayerKinds kinds = {"layer_types", config.texts("layer_types")};
  const int64_t every = config.integer(old.field, 1, 10000, old.preset);
  if (config.has(kinds.field)) return kinds;
  if (old.fixed && every != old.preset) {
    config.refuse(old.field, "expected {}, which transformers takes for this family if {} is missing",
                  old.preset, kinds.field);
  }
  for (int64_t i = 0; i < layers; ++i) {
    kinds.words.emplace_back((i + old.shift) % every == 0 ? kinds.global : kinds.windowed);
  }
  return kinds;
}

std::string layer_types(const Blueprint& b) {
  const LayerKinds kinds = {};
  std::vector<std::string> words;
  for (int64_t i = 0; i < b.layers; ++i) {
    words.push_back(json::text(b.window_of(i) > 0 ? kinds.windowed : kinds.global));
  }
  return json::list(words);
}

std::string scheme_setting(const Blueprint& b, std::string_view name) {
  const Options options(b.scheme, scheme_info(b.scheme).options.list(), b.scheme_options);
  const auto found = options.values().find(name);
  return found == options.values().end() ? "0" : found->second;
}

bool flag_not_null(const Config& config, std::string_view field, bool preset) {
  if (config.is_null(field))
    config.refuse(field, "expected true or false, because transformers reads null as false");
  return config.flag(field, preset);
}

void expect_flag(const Config& config, std::string_view field, bool value) {
  if (config.flag(field, value) != value) {
    config.unsupported(field, "expected {}", value ? "true" : "false");
  }
}

}  // namespace locus
