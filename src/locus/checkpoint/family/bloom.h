// Shared by BLOOM and Falcon: tensor names.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bloom {

// All names; `norms` are those of the norms in a layer.
void names(NameMap& map, const Blueprint& blueprint, std::span<const NamePair> norms);

// Names in a layer: the norms before attention and before feed-forward.
inline constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                      {"feed_forward_norm", "post_attention_layernorm"}};
inline constexpr std::string_view kPrefixes[] = {"transformer."};

}  // namespace locus::bloom
