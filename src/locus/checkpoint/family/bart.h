// What mBART, M2M100 and Pegasus have of BART: its fields and the names of its parts.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bart {

void fields(ConfigFields& f, Blueprint& blueprint);
void sizes(ConfigFields& f, Blueprint& blueprint);  // the fields but activation and attention's dropout
// What holds where config.json does not say.
struct Presets {
  bool scaled = false;
  int32_t padding = 1;
};
// Both stacks, the scale of the tokens' rows and the padding token; positions and norms are the model's own.
void read(const Config& config, Blueprint& blueprint, const Presets& presets = {});
// Positions are learned, behind two rows that stand for nothing, and normed with the tokens' rows.
void read_learned(Blueprint& blueprint);
// Positions are sines, all before all cosines.
void read_sines(Blueprint& blueprint);
void names(NameMap& map, const Blueprint& blueprint);
// Answers begin with the padding token, or with `start`.
json::Members config(const ModelType& type, const Blueprint& blueprint, int64_t start = -1);

inline constexpr std::string_view kPrefixes[] = {"model."};
// Sines are computed, not read.
inline constexpr std::string_view kSines[] = {".embed_positions.weight"};
inline constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token};

}  // namespace locus::bart
