// A model family: how its config.json becomes a blueprint, and how its checkpoints name the parameters. Each
// family is one small file in family/; families.cc lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/config_fields.h"
#include "locus/checkpoint/name_map.h"
#include "locus/checkpoint/rotary_config.h"

namespace locus {

// A model_type of config.json, the prefix of its class names, and the suffix of the class that predicts the
// next token: "gpt2", "GPT2", "LMHeadModel" (GPT2LMHeadModel).
struct ModelType {
  std::string_view name, classes;
  std::string_view next_token = "ForCausalLM";
  std::string_view base = "Model";  // suffix of the class without a head
  std::string_view old_classes;     // class prefix in files older than the family's support in transformers
};

// The heads that transformers has for most encoders and for most decoders.
inline constexpr HeadKind kEncoderHeads[] = {HeadKind::none, HeadKind::masked_token, HeadKind::sequence_class,
                                             HeadKind::token_class, HeadKind::answer};
inline constexpr HeadKind kDecoderHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                                             HeadKind::token_class, HeadKind::answer};

struct Family {
  std::string_view name;
  std::span<const ModelType> types;
  std::span<const HeadKind> heads;  // supported by Locus
  // Prefixes of the base model's tensor names in a checkpoint with a head. The first is used for writing; all
  // of them, and no prefix, are accepted for reading.
  std::span<const std::string_view> prefixes;
  // position_ids count from 0 and the offset is added to them; otherwise they are rows of the table.
  bool offset_added = false;
  // The field with the maximum length, and whether its value includes the offset.
  std::string_view length_field = "max_position_embeddings";
  bool length_counts_offset = false;
  // Positions count the tokens that are not the padding token, regardless of the attention mask.
  bool padding_by_id = false;
  // In training, the decoder input starts with the last label (a language token) instead of a start token.
  bool last_label_starts = false;
  // transformers adds the token embedding of every segment id to the input, which Locus refuses.
  bool segments_are_tokens = false;
  // Without an attention mask, transformers reads position_ids that do not increase by one as packed
  // sequences.
  bool packs_by_position = false;
  std::span<const std::string_view> leftovers;  // suffixes of tensor names to ignore in its checkpoints
  // Its checkpoints may contain tables of sinusoids, which Locus computes: their values are checked.
  bool sine_tables = false;
  HeadKind pretraining = HeadKind::masked_token;  // the head of its ForPreTraining class; none: an
                                                  // unsupported head, which is ignored
  bool tied = true;                               // default of tie_word_embeddings
  // Fields with a second name. If both are given, transformers takes one of them and Locus requires equal
  // values.
  std::span<const NamePair> second_names;
  // The fields that config.json and the blueprint have in common, except those of vocabulary and head.
  void (*fields)(ConfigFields&, Blueprint&);
  // Completes the blueprint; its fields and its head are already read.
  void (*read)(const Config&, Blueprint&);
  // Tensor names, with the first prefix in the names of the base model.
  void (*names)(NameMap&, const Blueprint&);
  // The rest of config.json for a model made by Locus: model_type, architectures, and everything else that
  // the family needs to represent the blueprint.
  json::Members (*config)(const Blueprint&);
};

std::span<const Family* const> families();

// The content of config.json: the family and the checked blueprint with its head.
struct Architecture {
  const Family* family = nullptr;
  std::string model_type;
  Blueprint blueprint;
};
Architecture read_architecture(const Config& config);

// The bindings of a model to the tensors of a family's checkpoints.
std::vector<Binding> bindings_of(const Family& family, const Blueprint& blueprint,
                                 const Parameters& parameters);

// A blueprint as config.json of the first family whose text reads back as the same blueprint. Settings that
// only affect training (dropout, the padding token) may be lost. If no family fits, an error
// (Code::unsupported_field) names the fields that the nearest family does not support.
struct ExportedConfig {
  const Family* family = nullptr;
  std::string config;
  Blueprint blueprint;  // the same, with explicit sizes
};
ExportedConfig export_config(const Blueprint& blueprint);

// The members model_type, and architectures with the class of the head.
json::Members named(const ModelType& type, HeadKind head);
// A fused layout in which the queries of each group of heads are followed by its key and its value.
inline Layout grouped(const Blueprint& b) {
  return {.groups = b.key_head_count(), .queries = b.attention.heads / b.key_head_count()};
}
// The usual name of the module that predicts labels or answer positions.
std::string_view label_module(const Blueprint& blueprint);

}  // namespace locus
