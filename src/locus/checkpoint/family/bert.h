// What families that grew out of BERT share with it: the fields of config.json, the post-norm encoder, and
// the names of its parts.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bert {

// Sizes, eps, activation and dropout, under BERT's names; with what the last three are where a file does not
// say.
void fields(ConfigFields& fields, Blueprint& blueprint, double eps, std::string_view activation = "gelu",
            double dropout = 0.1);
// Norms after the residuals and behind the embeddings, and a head for masked tokens with a layer of its own.
void read_encoder(Blueprint& blueprint);
// Refuses what BERT and RoBERTa could be but are not here: decoders, positions of other kinds.
void expect_encoder(const Config& config);
// Of a head for masked tokens that has gelu, whatever the layers have: refuses another.
void expect_gelu(const Config& config, const Blueprint& blueprint);

// RoBERTa's way: positions count the tokens that are no padding, from its number plus one on; the head for
// masked tokens has gelu.
void read_roberta(const Config& config, Blueprint& blueprint, int32_t padding);

// Of a layer: attention's output, feed-forward and both norms.
inline constexpr NamePair kOutputs[] = {
    {"attention.out", "attention.output.dense"}, {"attention_norm", "attention.output.LayerNorm"},
    {"feed_forward.up", "intermediate.dense"},   {"feed_forward.down", "output.dense"},
    {"feed_forward_norm", "output.LayerNorm"},
};
// Everything below `base`, "bert": embeddings and layers.
void body_names(NameMap& map, const Blueprint& blueprint, const std::string& base);
void embedding_names(NameMap& map, const std::string& base);
// The head for masked tokens under `cls.predictions`, whose table may be that of the tokens, below `base`.
void prediction_names(NameMap& map, const Blueprint& blueprint, const std::string& base);
// The bias of that head. Two names for one tensor where the head is tied; where it is not, the decoder's is
// the one that counts.
void bias_names(NameMap& map, bool tied, std::string_view bias, std::string_view decoders);
// RoBERTa's heads, with the table of the tokens and the pooler below `base`, "roberta".
void roberta_head_names(NameMap& map, const Blueprint& blueprint, const std::string& base);

}  // namespace locus::bert
