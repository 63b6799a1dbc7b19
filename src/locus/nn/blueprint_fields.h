// The fields of a Blueprint: their names, limits and meanings, in the order they are written.
#pragma once

#include "locus/nn/blueprint.h"

namespace locus {

template <class F>
void Blueprint::fields(F& f) {
  constexpr double kMost = 1 << 24;  // of any size: products of a few stay far below 2^63
  constexpr std::string_view kActivations = "none|gelu|gelu_tanh|silu|relu|tanh";
  f.choice("kind", kind, "encoder|decoder|encoder-decoder", "which stacks there are; a decoder is causal");
  f.integer("vocabulary", vocabulary, 1, kMost, "tokens, V");
  f.integer("width", width, 1, kMost, "of the hidden states, C");
  f.integer("layers", layers, 0, 10000, "layers of the stack, of the encoder where there are two");
  f.integer("heads", heads, 1, 10000, "attention heads, H");
  f.integer("key_heads", key_heads, 0, 10000,
            "heads of keys and values, shared by groups; 0: as many as heads");
  f.integer("head_size", head_size, 0, kMost, "of each head, D; 0: width / heads");
  f.integer("hidden", hidden, 0, kMost, "width inside feed-forward; 0: 4 times the width");
  f.integer("max_length", max_length, 1, 1e9, "of a sequence: rows of learned tables, reach of scalings");
  f.integer("decoder_layers", decoder_layers, 0, 10000, "of an encoder-decoder's decoder; 0: as the encoder");
  f.integer("decoder_heads", decoder_heads, 0, 10000, "likewise");
  f.integer("decoder_hidden", decoder_hidden, 0, kMost, "likewise");
  f.flag("shared_layers", shared_layers, "all layers of a stack have the weights of its first");
  f.choice("positions", positions, "row|count", "a token's index in its row, or the real tokens before it");
  f.integer("position_offset", position_offset, 0, 1e6, "position of a sequence's first token");
  f.integer(
      "embedding_width", embedding_width, 0, kMost,
      "of token rows and all that is added to them, before they are projected to the width; 0: the width");
  f.number("embedding_scale", embedding_scale, -1e6, 1e6, "on token rows");
  f.flag("embedding_norm", embedding_norm, "a norm behind the embeddings");
  f.integer("segments", segments, 0, kMost, "kinds of segments; 0: none");
  f.integer("padding_token", padding_token, -1, kMost, "whose row gets no gradient; -1: none");
  f.choice("norm", norm, "layer|rms|rms-from-one",
           "layer norm, or RMS norm, or one whose weights are added to one");
  f.choice(
      "norm_place", norm_place, "before|after|around|added",
      "of attention and feed-forward: before each, after the sum, before each and on what it adds, or on "
      "what it adds alone");
  f.number("norm_eps", norm_eps, 0, 1, "added to the variance");
  f.flag("norm_bias", norm_bias, "biases of layer norms");
  f.flag("first_norm", first_norm, "a norm before the first layer's attention, where norms stand before");
  f.flag("final_norm", final_norm, "a norm behind the last layer");
  f.choice("residual", residual, "sequential|parallel|parallel-one-norm",
           "how attention and feed-forward join");
  f.number("residual_scale", residual_scale, -1e6, 1e6, "on what attention and feed-forward add");
  f.choice("activation", activation, kActivations, "of feed-forward");
  f.flag("gated", gated, "feed-forward multiplies by a gate");
  f.flag("query_bias", query_bias, "biases of the projections to queries");
  f.flag("key_bias", key_bias, "to keys");
  f.flag("value_bias", value_bias, "to values");
  f.flag("output_bias", output_bias, "from the heads");
  f.flag("hidden_bias", hidden_bias, "of feed-forward");
  f.flag("fused_qkv", fused_qkv, "one matrix for queries, keys and values");
  f.flag("head_norms", head_norms, "norms of queries and of keys, a head at a time");
  f.flag("joint_norms", joint_norms, "norms of queries and of keys, all heads at once");
  f.number("attention_scale", attention_scale, 0, 1e6, "on q . k; 0: 1/sqrt(head size)");
  f.number("score_cap", score_cap, 0, 1e6, "c, of scores that become c tanh(score / c); 0: none");
  f.integer("window", window, 0, 1e9,
            "keys a query looks back to, its own among them, and as far ahead if not causal; 0: all");
  f.integer(
      "global_every", global_every, 0, 10000,
      "layers from one that sees all keys, and may have a global_scheme, to the next; 0: all are alike");
  f.integer("global_first", global_first, 0, 10000, "the first of those layers, counted from 0");
  f.number("dropout", dropout, 0, 0.99, "of embeddings and of what is added to the residual");
  f.number("attention_dropout", attention_dropout, 0, 0.99, "of attention weights");
  f.choice("head", head, kHeadWords, "what the model puts out");
  f.flag("tied", tied, "the head reads tokens with the embedding table");
  f.flag("head_bias", head_bias, "a bias on the logits of tokens");
  f.number("head_scale", head_scale, -1e6, 1e6, "on what goes into the head");
  f.number("logit_cap", logit_cap, 0, 1e6, "c, of logits of tokens that become c tanh(logit / c); 0: none");
  f.flag("head_dense", head_dense, "a dense layer, activation and norm before the logits");
  f.flag("dense_bias", dense_bias, "a bias of that dense layer");
  f.integer("labels", labels, 1, kMost, "classes of a classifier");
  f.flag("label_bias", label_bias, "a bias on the logits of labels and of an answer's ends");
  f.choice("pooling", pooling, "first|mean|last", "tokens that stand for a sequence");
  f.choice("pooler", pooler, kActivations, "of a dense layer behind pooling; none: no such layer");
  f.flag("normalize", normalize, "sequence embeddings of length one");
  f.number("init_std", init_std, 0, 100, "of the normal that weights start from");
}

}  // namespace locus
