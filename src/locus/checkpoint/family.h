// A model family: how its config.json becomes a blueprint, and how its checkpoints name what the blueprint is
// made of. One small file each in family/; families.cc lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "locus/base/json.h"
#include "locus/checkpoint/config.h"
#include "locus/checkpoint/name_map.h"
#include "locus/nn/blueprint.h"

namespace locus {

// A model type of config.json and the beginning of its architectures' names: "bert", "Bert"
// (BertForMaskedLM).
struct ModelType {
  std::string_view name, classes;
};

struct Family {
  std::string_view name;
  std::span<const ModelType> types;
  std::span<const HeadKind> heads;  // the ones Locus knows of it
  // Of the base model's tensors in a checkpoint with a head; the first is written, all are understood, and so
  // is none.
  std::span<const std::string_view> prefixes;
  // Positions that a caller gives count from 0, and the offset is added to them; else they are table rows.
  bool offset_added = false;
  // Where config.json has the longest length, and whether it counts the offset in.
  std::string_view length_field = "max_position_embeddings";
  bool length_counts_offset = false;
  bool fixed_rotation = false;  // config.json has nothing to change about it
  // Positions count the tokens that are not the padding token, whatever the mask says.
  bool padding_by_id = false;
  std::span<const std::string_view> leftovers;  // ends of names that its checkpoints carry and nothing reads
  Blueprint (*blueprint)(const Config&, HeadKind);
  // With the first prefix in front of the base model's names.
  void (*names)(NameMap&, const Blueprint&);
  // config.json for a model that was not opened but made here: what of the blueprint the family has fields
  // for. nullptr: such models are not written as this family.
  json::Members (*config)(const Blueprint&) = nullptr;
};

std::span<const Family* const> families();

// What config.json says: the family, the head, and the blueprint, checked.
struct Architecture {
  const Family* family = nullptr;
  std::string model_type;
  Blueprint blueprint;
};
Architecture read_architecture(const Config& config);

// The bindings of a model to the tensors of a family's checkpoints.
std::vector<Binding> bindings_of(const Family& family, const Blueprint& blueprint,
                                 const Parameters& parameters);

// A blueprint as config.json of the family that can say it: of those with a `config`, the first whose text
// reads back as the same blueprint. What only training sees, dropout and the token whose row is frozen, may
// be lost. No family: an error names the fields that the nearest one does not have.
struct Expressed {
  const Family* family = nullptr;
  std::string config;
  Blueprint blueprint;  // the same, without zeros that stand for other sizes
};
Expressed express(const Blueprint& blueprint);

// What several families write alike: model_type, and architectures with the class of the head.
json::Members named(std::string_view type, std::string_view classes, HeadKind head,
                    std::string_view next_token = "ForCausalLM");
std::string_view activation_name(Activation activation);
std::string rotary_config(const Blueprint& blueprint);  // rope_parameters

// What several families read alike.
Activation activation_of(const Config& config, std::string_view field, std::string_view preset);
int64_t labels_of(const Config& config);  // num_labels, or as many as id2label has, or 2
int32_t padding_of(const Config& config, std::optional<int64_t> preset, int64_t vocabulary);  // -1: none
// The scheme and options of a rotary model: rope_theta, rope_scaling, rope_parameters.
void read_rotary(const Config& config, int64_t width, Blueprint& blueprint);
// Refuses a field that is not what Locus computes.
void expect_flag(const Config& config, std::string_view field, bool value);

// The number of a layer in its names: "encoder.layers.3."
inline std::string numbered(std::string_view branch, int64_t layer) {
  return fmt::format("{}.{}.", branch, layer);
}

}  // namespace locus
