// Shared by GPT-2, GPT-J and GPT-BigCode.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::gpt2 {

void fields(ConfigFields& fields, Blueprint& blueprint, double dropout);
// Learned positions, a fused query-key-value matrix, and the scale of attention scores.
void read(const Config& config, Blueprint& blueprint);
// `weights` is the layout of the matrices, `qkv` that of the fused query-key-value matrix.
void names(NameMap& map, const Blueprint& blueprint, const Layout& weights, const Layout& qkv);
json::Members config(const ModelType& type, const Blueprint& blueprint);

inline constexpr NamePair kSecondNames[] = {{"n_embd", "hidden_size"},
                                            {"n_layer", "num_hidden_layers"},
                                            {"n_head", "num_attention_heads"},
                                            {"n_positions", "max_position_embeddings"}};
inline constexpr std::string_view kPrefixes[] = {"transformer."};

}  // namespace locus::gpt2
