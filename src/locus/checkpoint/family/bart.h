// Shared by BART, mBART, M2M100 and Pegasus: config.json fields and tensor names.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bart {

void fields(ConfigFields& f, Blueprint& blueprint);
void sizes(ConfigFields& f, Blueprint& blueprint);  // fields() without activation and attention dropout
// Defaults of settings that config.json may omit.
struct Presets {
  bool scaled = false;
  int32_t padding = 1;
};
// Both stacks, the scale of the token embeddings and the padding token, but not positions and norms.
void read(const Config& config, Blueprint& blueprint, const Presets& presets = {});
// Learned positions; the first two rows of the table are unused. The sum with the token embeddings is
// normalized.
void read_learned(Blueprint& blueprint);
// Sinusoidal positions, with all sines before all cosines.
void read_sines(Blueprint& blueprint);
void names(NameMap& map, const Blueprint& blueprint);
// `start` is the decoder start token; -1: the padding token.
json::Members config(const ModelType& type, const Blueprint& blueprint, int64_t start = -1);

inline constexpr NamePair kSecondNames[] = {{"d_model", "hidden_size"},
                                            {"encoder_layers", "num_hidden_layers"},
                                            {"encoder_attention_heads", "num_attention_heads"}};
inline constexpr std::string_view kPrefixes[] = {"model."};
inline constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

}  // namespace locus::bart
