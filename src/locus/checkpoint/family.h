// A model family: how its config.json becomes a blueprint, and how its checkpoints name what the blueprint is
// made of. One small file each in family/; families.cc lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/config_fields.h"
#include "locus/checkpoint/name_map.h"

namespace locus {

// A model type of config.json, the beginning of its architectures' names, and the end of the one that
// predicts the next token: "gpt2", "GPT2", "LMHeadModel" (GPT2LMHeadModel).
struct ModelType {
  std::string_view name, classes;
  std::string_view next_token = "ForCausalLM";
  std::string_view base = "Model";  // and of the one without a head
  std::string_view old_classes;     // as files from before transformers had the family begin them
};

// The heads that transformers has for most families of a kind.
inline constexpr HeadKind kEncoderHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                                             HeadKind::token_class, HeadKind::answer};
inline constexpr HeadKind kDecoderHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                                             HeadKind::token_class, HeadKind::answer};

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
  // Positions count the tokens that are not the padding token, whatever the mask says.
  bool padding_by_id = false;
  // What a decoder learns to write is read behind its own last token, a language, not behind a start token.
  bool last_label_starts = false;
  std::span<const std::string_view> leftovers;  // ends of names that its checkpoints carry and nothing reads
  HeadKind pretraining = HeadKind::masked_token;  // of its ForPreTraining; none: a head that nothing reads
  bool tied = true;  // the head's table to that of the tokens, where config.json does not say
  // What config.json and the blueprint have one to one, but the vocabulary and what the heads have.
  void (*fields)(ConfigFields&, Blueprint&);
  // The rest of the blueprint; its fields and its head are read.
  void (*read)(const Config&, Blueprint&);
  // With the first prefix in front of the base model's names.
  void (*names)(NameMap&, const Blueprint&);
  // The rest of config.json for a model that was not opened but made here: model_type, architectures, and
  // what else the family has for a blueprint.
  json::Members (*config)(const Blueprint&);
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

// A blueprint as config.json of the family that can say it: the first whose text reads back as the same
// blueprint. What only training sees, dropout and the token whose row is frozen, may be lost. No family: an
// error names the fields that the nearest one does not have.
struct Expressed {
  const Family* family = nullptr;
  std::string config;
  Blueprint blueprint;  // the same, without zeros that stand for other sizes
};
Expressed express(const Blueprint& blueprint);

// model_type, and architectures with the class of the head.
json::Members named(const ModelType& type, HeadKind head);
// Queries of a group of heads stand together with its key and its value.
inline Layout grouped(const Blueprint& b) {
  return {.groups = b.key_head_count(), .queries = b.heads / b.key_head_count()};
}
// What most families call the module that tells labels, or where answers stand.
std::string_view label_module(const Blueprint& blueprint);

}  // namespace locus
