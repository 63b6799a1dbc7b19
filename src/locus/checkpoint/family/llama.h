// Shared by Llama and the families derived from it: config.json fields and tensor names.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::llama {

// The sizes of the layers, except the number of key heads.
void sizes(ConfigFields& fields, Blueprint& blueprint);
// All fields that Llama shares with the blueprint; other families have another default of eps.
void fields(ConfigFields& fields, Blueprint& blueprint);
void fields(ConfigFields& fields, Blueprint& blueprint, double eps);
// RMS norms, gated feed-forward, and attention biases in all projections or in none.
void read_body(Blueprint& blueprint);

// Names in a layer: the norms before attention and before feed-forward.
inline constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                      {"feed_forward_norm", "post_attention_layernorm"}};
// Names in a layer: gated feed-forward.
inline constexpr NamePair kGated[] = {{"feed_forward.gate", "mlp.gate_proj"},
                                      {"feed_forward.up", "mlp.up_proj"},
                                      {"feed_forward.down", "mlp.down_proj"}};
// Names of the token embeddings, heads, attention, final norm, and of the listed modules of a layer.
void body_names(NameMap& map, const Blueprint& blueprint, std::span<const NamePair> norms,
                std::span<const NamePair> feed_forward);

// The second one occurs in models with a question-answering head.
inline constexpr std::string_view kPrefixes[] = {"model.", "transformer."};
// For families without a question-answering head.
inline constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                                      HeadKind::token_class};

}  // namespace locus::llama
