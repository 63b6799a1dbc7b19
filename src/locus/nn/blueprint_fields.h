// The fields of a Blueprint: names, limits and descriptions, in the order in which they are written.
#pragma once

#include <optional>
#include <type_traits>

#include "locus/nn/blueprint.h"

namespace locus {

// A number that may be absent. `absent` is its text then.
template <class F, class T>
void optional_field(F& f, std::string_view name, std::optional<T>& member, std::type_identity_t<T> absent,
                    double most, std::string_view help) {
  T value = member.value_or(absent);
  const auto least = static_cast<double>(absent);
  if constexpr (std::is_integral_v<T>) {
    f.integer(name, value, least, most, help);
  } else {
    f.number(name, value, least, most, help);
  }
  member = value == absent ? std::nullopt : std::optional(value);
}

template <class F>
void Blueprint::fields(F& f) {
  constexpr double kMost = 1 << 24;  // limit of sizes: products of a few of them stay far below 2^63
  constexpr std::string_view kActivations = "none|gelu|gelu_tanh|silu|relu|tanh";
  f.choice("kind", kind, "encoder|decoder|encoder-decoder", "stacks of the model; a decoder is causal");
  f.integer("vocabulary", vocabulary, 1, kMost, "vocabulary size V");
  f.integer("width", width, 1, kMost, "hidden size C");
  f.integer("layers", layers, 0, 10000, "number of layers; in an encoder-decoder, layers of the encoder");
  f.integer("heads", attention.heads, 1, 10000, "number of attention heads H");
  optional_field(
      f, "key_heads", attention.key_heads, 0, 10000,
      "number of key and value heads, shared by groups of query heads (GQA, MQA); 0: same as heads");
  optional_field(f, "head_size", attention.head_size, 0, kMost,
                 "size D of each attention head; 0: width / heads");
  optional_field(f, "hidden", feed_forward.hidden, 0, kMost,
                 "inner width of the feed-forward layers; 0: 4 x width");
  f.integer("max_length", max_length, 1, 1e9,
            "maximum sequence length: rows of learned position tables, reach of context extensions");
  optional_field(f, "decoder_layers", decoder.layers, 0, 10000,
                 "layers of the decoder in an encoder-decoder; 0: same as the encoder");
  optional_field(f, "decoder_heads", decoder.heads, 0, 10000,
                 "attention heads of the decoder in an encoder-decoder; 0: same as the encoder");
  optional_field(f, "decoder_hidden", decoder.hidden, 0, kMost,
                 "feed-forward width of the decoder in an encoder-decoder; 0: same as the encoder");
  f.flag("shared_layers", shared_layers, "all layers of a stack share the weights of its first layer");
  f.choice("positions", positions, "row|count",
           "how positions are counted: row is the index in the row with padding, count is the number of real "
           "tokens before it");
  f.integer("position_offset", position_offset, 0, 1e6, "position of the first token of a sequence");
  optional_field(f, "embedding_width", embedding.width, 0, kMost,
                 "width of the token embeddings before a projection to the hidden size; 0: same as width, no "
                 "projection");
  f.number("embedding_scale", embedding.scale, -1e6, 1e6, "factor on the token embeddings");
  f.flag("embedding_norm", embedding.norm, "apply a norm to the embeddings");
  f.integer("segments", embedding.segments, 0, kMost, "number of segment (token type) embeddings; 0: none");
  optional_field(f, "padding_token", embedding.padding_token, -1, kMost,
                 "id of the padding token, whose embedding gets no gradient; -1: none");
  f.choice("norm", norms.kind, "layer|rms|rms-from-one",
           "kind of norm: layer norm, RMS norm, or RMS norm that scales by 1 + weight");
  f.choice("norm_place", norms.place, "before|after|around|added",
           "place of the norms: before attention and feed-forward (pre-norm), after the residual sum "
           "(post-norm), around (before each and on its output), or added (on its output only)");
  f.number("norm_eps", norms.eps, 0, 1, "epsilon that norms add to the variance");
  f.flag("norm_bias", norms.bias, "biases in layer norms");
  f.flag("first_norm", norms.first,
         "norm before the attention of the first layer (norm_place before or around)");
  f.flag("final_norm", norms.final, "norm after the last layer");
  f.choice("residual", residual, "sequential|parallel|parallel-one-norm",
           "how attention and feed-forward are combined: one after the other, in parallel, or in parallel "
           "with one norm");
  f.number("residual_scale", residual_scale, -1e6, 1e6,
           "factor on the outputs of attention and feed-forward");
  f.choice("activation", feed_forward.activation, kActivations,
           "activation function of the feed-forward layers");
  f.flag("gated", feed_forward.gated, "gated feed-forward layers (such as SwiGLU, GeGLU)");
  f.flag("query_bias", attention.query_bias, "bias of the query projection");
  f.flag("key_bias", attention.key_bias, "bias of the key projection");
  f.flag("value_bias", attention.value_bias, "bias of the value projection");
  f.flag("output_bias", attention.output_bias, "bias of the attention output projection");
  f.flag("hidden_bias", feed_forward.bias, "biases of the feed-forward layers");
  f.flag("fused_qkv", attention.fused_qkv, "store the query, key and value projections as one matrix");
  f.flag("head_norms", attention.head_norms, "norms on queries and keys, separately for each head (QK norm)");
  f.flag("joint_norms", attention.joint_norms,
         "norms on queries and keys, over all heads together (QK norm)");
  optional_field(f, "attention_scale", attention.scale, 0, 1e6,
                 "factor on attention scores; 0: 1/sqrt(head size)");
  f.number("score_cap", attention.cap, 0, 1e6,
           "soft cap c of attention scores, which become c tanh(score / c); 0: none");
  f.integer("window", attention.window, 0, 1e9,
            "sliding window: a query sees this many keys back, including its own, and the same number ahead "
            "if the model is not causal; 0: all keys");
  f.integer("global_every", global.every, 0, 10000,
            "every how many layers one is a global-attention layer (no window, may have a global_scheme); 0: "
            "all layers are alike");
  f.integer("global_first", global.first, 0, 10000, "index of the first global-attention layer, from 0");
  f.number("dropout", dropout, 0, 0.99,
           "dropout rate of embeddings and of the outputs of attention and feed-forward");
  f.number("attention_dropout", attention.dropout, 0, 0.99, "dropout rate of attention weights");
  f.choice("head", head.kind, kHeadWords, "output head of the model");
  f.flag("tied", head.tied, "tie the weights of the token head to the token embeddings");
  f.flag("head_bias", head.bias, "bias on the token logits");
  f.number("head_scale", head.scale, -1e6, 1e6, "factor on the input of the token head");
  f.number("logit_cap", head.cap, 0, 1e6,
           "soft cap c of token logits, which become c tanh(logit / c); 0: none");
  f.flag("head_dense", head.dense, "dense layer, activation and norm before the output layer of the head");
  f.flag("dense_bias", head.dense_bias, "bias of the dense layer in the head");
  f.integer("labels", head.labels, 1, kMost, "number of classes of a classifier");
  f.flag("label_bias", head.label_bias, "bias on the logits of labels and of answer positions");
  f.choice("pooling", head.pooling, "first|mean|last",
           "tokens that represent a sequence: the first, the mean of all, or the last");
  f.choice("pooler", head.pooler, kActivations,
           "activation of a dense layer after pooling; none: no such layer");
  f.flag("normalize", head.normalize, "normalize sequence embeddings to length 1");
  optional_field(
      f, "init_std", init_std, 0, 100,
      "standard deviation of the initial weights; 0: sqrt(0.4/width) if the head predicts tokens, else "
      "1/sqrt(width)");
}

}  // namespace locus
