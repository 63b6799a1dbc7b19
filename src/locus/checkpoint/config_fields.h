// Fields of config.json that a blueprint has one to one. A family names each of them once, and the name
// serves both ways: to read a checkpoint's config.json, and to write one for a model made here.
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

  // Reading, a field without a preset must be there.
  void size(std::string_view name, int64_t& value, std::optional<int64_t> preset = {});
  void flag(std::string_view name, bool& value, bool preset);
  void eps(std::string_view name, float& value, double preset);
  void dropout(std::string_view name, float& value, double preset);
  void scale(std::string_view name, float& value, double preset);
  void activation(std::string_view name, Activation& value, std::string_view preset);
  // The first of two names that is there, for old files have the one and newer ones the other; written, the
  // first.
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

// What several families read alike, and is more than one field.
Activation activation_of(const Config& config, std::string_view field, std::string_view preset);
std::string_view activation_name(Activation activation);
int64_t labels_of(const Config& config);  // num_labels, or as many as id2label has, or 2
int32_t padding_of(const Config& config, std::optional<int64_t> preset, int64_t vocabulary);  // -1: none
// A number with a point even where it is whole: some classes of transformers take no other for a float.
std::string fraction(float value);
std::string window_config(const Blueprint& blueprint);                               // of all layers, or null
std::string padding_config(const Blueprint& blueprint);                              // its id, or null
int32_t token_of(const Config& config, std::string_view field, int64_t vocabulary);  // its id
// How many tokens there are up to the last that is not the padding token, at least one: off that a decoder
// reads the label of a text, and nothing behind it has a say.
size_t without_padding(const Config& config, const Blueprint& b, std::span<const int32_t> ids);
// Refuses a field that is not what Locus computes.
void expect_flag(const Config& config, std::string_view field, bool value);
// The window of a blueprint's layers, each of which has one or sees all keys, as these words say. Refuses
// what `global_every` cannot: full layers stand at equal distances, the first of them nearer than that.
struct LayerKinds {
  std::string_view field;
  std::vector<std::string> words;
  std::string_view full = "full_attention", windowed = "sliding_attention";
};
void read_window(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& blueprint);
// The same of a rotary model that has no positions in layers that see all keys; its rotation is read.
void read_bare_layers(const Config& config, const LayerKinds& kinds, int64_t window, Blueprint& blueprint);
std::string layer_types(const Blueprint& blueprint);  // a list of such words
// layer_types of config.json; of old files, which have a number for it, full where (layer + shift) is a
// multiple.
struct FullLayers {
  std::string_view field;
  int64_t preset, shift;
};
LayerKinds layer_kinds(const Config& config, const FullLayers& old, int64_t layers);
// How many elements of a head are rotated: the part that rope_parameters or rope_scaling say, else the field
// `outside`, else `preset`.
int64_t rotated_width(const Config& config, int64_t head_size, std::string_view outside, double preset);
// The scheme and options of a rotary model; and back. `base` is what the field outside the block is called,
// `preset` the base where neither says one.
void read_rotary(const Config& config, int64_t width, Blueprint& blueprint,
                 std::string_view base = "rope_theta", double preset = 10000);
std::string rotary_config(const Blueprint& blueprint);
// The options that a block tells. Its base stands in it or else in the field `base`, or is `preset`.
struct RotaryBlock {
  std::string name;
  std::string_view base = "rope_theta";
  double preset = 10000;
};
OptionValues rotary_options(const Config& config, const RotaryBlock& block, int64_t width,
                            int64_t max_length);
// The schemes of a model with a rotation for each kind of layer, whose window is read; and back, the
// rope_parameters. Of the fields beside the blocks, rope_scaling is for both kinds or for full layers alone.
struct TwoRotations {
  std::string_view full_base, sliding_base;
  double full_preset = 0, sliding_preset = 0;
  bool scales_both = true;
};
void read_two_rotations(const Config& config, const TwoRotations& rotations, Blueprint& blueprint);
std::string two_rotations_config(const Blueprint& blueprint);
// An option of the blueprint's scheme, or its preset; "0" where the scheme has no such option.
std::string scheme_setting(const Blueprint& blueprint, std::string_view name);

}  // namespace locus
