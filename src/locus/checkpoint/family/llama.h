// What families that grew out of Llama share with it: the fields of config.json and the names of its parts.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::llama {

// The sizes of the layers, but for key heads.
void sizes(ConfigFields& fields, Blueprint& blueprint);
// All that Llama has one to one; others have another preset of eps.
void fields(ConfigFields& fields, Blueprint& blueprint);
void fields(ConfigFields& fields, Blueprint& blueprint, double eps);
// RMS norms, gates, and biases that all projections of attention have, or none.
void read_body(Blueprint& blueprint);

// Of a layer: a norm before attention and one before feed-forward.
inline constexpr NamePair kNorms[] = {{"attention_norm", "input_layernorm"},
                                      {"feed_forward_norm", "post_attention_layernorm"}};
// Of a layer: feed-forward with a gate.
inline constexpr NamePair kGated[] = {{"feed_forward.gate", "mlp.gate_proj"},
                                      {"feed_forward.up", "mlp.up_proj"},
                                      {"feed_forward.down", "mlp.down_proj"}};
// Tokens, heads, attention, and the last norm; of a layer also what is listed.
void body_names(NameMap& map, const Blueprint& blueprint, std::span<const NamePair> norms,
                std::span<const NamePair> feed_forward);

// The second is that of heads for answers.
inline constexpr std::string_view kPrefixes[] = {"model.", "transformer."};
// Of those without such a head.
inline constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                                      HeadKind::token_class};

}  // namespace locus::llama
