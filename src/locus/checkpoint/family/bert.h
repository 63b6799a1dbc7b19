// Shared by BERT and the families derived from it: config.json fields, the post-norm encoder, and tensor
// names.
#pragma once

#include "locus/checkpoint/family.h"

namespace locus::bert {

// Sizes, eps, activation and dropout under the field names of BERT; the last three have the given defaults.
void fields(ConfigFields& fields, Blueprint& blueprint, double eps, std::string_view activation = "gelu",
            double dropout = 0.1);
// Norms after the residual sums and after the embeddings, and a masked-token head with a dense layer.
void read_encoder(Blueprint& blueprint);
// Throws for variants that Locus does not support: decoders, and positions that are not absolute.
void expect_encoder(const Config& config);
// Throws if a masked-token head is combined with another activation than gelu, which that head always uses.
void expect_gelu(const Config& config, const Blueprint& blueprint);

// Settings of RoBERTa: positions count the non-padding tokens from padding + 1, and the masked-token head has
// gelu.
void read_roberta(const Config& config, Blueprint& blueprint, int32_t padding);

// Names in a layer: attention output, feed-forward and both norms.
inline constexpr NamePair kOutputs[] = {
    {"attention.out", "attention.output.dense"}, {"attention_norm", "attention.output.LayerNorm"},
    {"feed_forward.up", "intermediate.dense"},   {"feed_forward.down", "output.dense"},
    {"feed_forward_norm", "output.LayerNorm"},
};
// Names of embeddings and layers below `base`, for example "bert".
void body_names(NameMap& map, const Blueprint& blueprint, const std::string& base);
void embedding_names(NameMap& map, const std::string& base);
// Names of the masked-token head under `cls.predictions`, and of the token embeddings below `base`.
void prediction_names(NameMap& map, const Blueprint& blueprint, const std::string& base);
// The bias of that head, which has two names. If the head is not tied, the one of the decoder counts.
void bias_names(NameMap& map, bool tied, std::string_view bias, std::string_view decoders);
// Names of the heads of RoBERTa, with token embeddings and pooler below `base`, for example "roberta".
void roberta_head_names(NameMap& map, const Blueprint& blueprint, const std::string& base);

}  // namespace locus::bert
