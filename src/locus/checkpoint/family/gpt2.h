// What GPT-J and GPT-BigCode have of GPT-2.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::gpt2 {

void fields(ConfigFields& fields, Blueprint& blueprint, double dropout);
// Learned positions, one matrix for queries, keys and values, and the scale of scores.
void read(const Config& config, Blueprint& blueprint);
// How weights are stored, and how that one matrix is.
void names(NameMap& map, const Blueprint& blueprint, const Layout& weights, const Layout& qkv);
json::Members config(const ModelType& type, const Blueprint& blueprint);

inline constexpr std::string_view kPrefixes[] = {"transformer."};

}  // namespace locus::gpt2
