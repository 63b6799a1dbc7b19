// What Falcon has of BLOOM: the names of its parts.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bloom {

// All of them; those of a layer's norms are listed.
void names(NameMap& map, const Blueprint& blueprint, std::span<const NamePair> norms);

// Of a layer: a norm before attention and one before feed-forward.
inline constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                      {"feed_forward_norm", "post_attention_layernorm"}};
inline constexpr std::string_view kPrefixes[] = {"transformer."};

}  // namespace locus::bloom
