// Fields of config.json that correspond directly to blueprint fields. A family names each of them once, and
// the name serves both to read the config.json of a checkpoint and to write one for a model made by Locus.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/json.h"
#include "locus/checkpoint/config.h"
#include "locus/nn/blueprint.h"

namespace locus {

class ConfigFields {
 public:
  explicit ConfigFields(const Config& from) : from_(&from) {}
  explicit ConfigFields(json::Members& to) : to_(&to) {}

  // When reading, a field without a preset (default) is required.
  void size(std::string_view name, int64_t& value, std::optional<int64_t> preset = {});
  void size(std::string_view name, std::optional<int64_t>& value, std::optional<int64_t> preset = {});
  void flag(std::string_view name, bool& value, bool preset);
  void eps(std::string_view name, float& value, double preset);
  void dropout(std::string_view name, float& value, double preset);
  void scale(std::string_view name, float& value, double preset);
  void activation(std::string_view name, Activation& value, std::string_view preset);
  // For fields that were renamed over time: when reading, the first of the two names that exists; when
  // writing, the first.
  std::string_view either(std::string_view first, std::string_view second) const;

 private:
  struct Limits {
    double least, most;
  };
  void real(std::string_view name, float& value, double preset, Limits limits);
  void write(std::string_view name, std::string value) { to_->emplace_back(name, std::move(value)); }

  const Config* from_ = nullptr;
  json::Members* to_ = nullptr;
};

// Helpers for settings that several families share and that are more than one field.
Activation activation_of(const Config& config, std::string_view field, std::string_view preset);
std::string_view activation_name(Activation activation);
int64_t labels_of(const Config& config);  // num_labels, else the size of id2label, else 2
// In config.json, -1 means that there is no padding token.
std::optional<int32_t> padding_of(const Config& config, std::optional<int64_t> preset, int64_t vocabulary);
// A number that always has a decimal point or exponent: some classes of transformers reject 1 as a float.
std::string fraction(float value);
std::string window_config(const Blueprint& blueprint);   // sliding_window, or null
std::string padding_config(const Blueprint& blueprint);  // pad_token_id, or null
int32_t token_of(const Config& config, std::string_view field, int64_t vocabulary);  // a token id
// Length up to the last non-padding token, at least 1. A decoder classifies from that token, and later tokens
// have no influence.
size_t without_padding(const Config& config, const Blueprint& b, std::span<const int32_t> ids);
// A field for which transformers reads null as false, but its absence as the preset: null is refused.
bool flag_not_null(const Config& config, std::string_view field, bool preset);
// Throws unless the field has this value, the only one that Locus supports.
void expect_flag(const Config& config, std::string_view field, bool value);
// Reads which layers have a sliding window and which are global-attention layers, from one word per layer.
// Throws if the pattern cannot be represented by global_every and global_first: global-attention layers must
// be equally spaced, and the first one must be closer to the start than that spacing.
struct LayerKinds {
  std::string_view field;
  std::vector<std::string> words;
  std::string_view global = "full_attention", windowed = "sliding_attention";
};
void read_window(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& blueprint);
// The same for a rotary model whose global-attention layers have no positions (NoPE). Call it after
// read_rotary().
void read_nope_layers(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& blueprint);
std::string layer_types(const Blueprint& blueprint);  // the list of words as JSON
// Reads layer_types of config.json. Older files have a single number instead: layers where (layer + shift) is
// a multiple of it are global.
struct GlobalLayers {
  std::string_view field;
  int64_t preset, shift;
  bool fixed = false;  // transformers ignores the number and takes the preset: other numbers are refused
};
LayerKinds layer_kinds(const Config& config, const GlobalLayers& old, int64_t layers);
// An option of the blueprint's scheme, or its default; "0" if the scheme has no such option.
std::string scheme_setting(const Blueprint& blueprint, std::string_view name);

}  // namespace locus
