// What a model is made of, as plain data: one Transformer is built from it, whatever family it belongs to.
// Letters: V vocabulary, C width, H heads, D head size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/fields.h"
#include "locus/kernel/activation.h"
#include "locus/scheme/scheme.h"

namespace locus {

enum class ModelKind { encoder, decoder, encoder_decoder };
enum class NormKind { layer, rms, rms_from_one };  // of the last the weights are added to one
// Of attention and feed-forward: before each, after each residual, before each and on what it adds, or on
// that alone.
enum class NormPlace { before, after, around, added };
// What goes into feed-forward: the sum after attention; or what went into attention, both then added to it at
// once, each behind a norm of its own or both behind one.
enum class Residual { sequential, parallel, parallel_one_norm };
enum class HeadKind {
  none,            // hidden states
  next_token,      // logits of the token that follows
  masked_token,    // logits of the token that was hidden
  sequence_class,  // logits of the sequence's label
  token_class,     // logits of each token's label
  answer,          // of each token, logits of being an answer's start and end
  embedding,       // one vector for the sequence
};
inline constexpr std::string_view kHeadWords =
    "none|next_token|masked_token|sequence_class|token_class|answer|embedding";
constexpr bool tells_tokens(HeadKind head) {
  return head == HeadKind::next_token || head == HeadKind::masked_token;
}
enum class Pooling { first, mean, last };  // which tokens stand for a sequence

struct Blueprint {
  ModelKind kind = ModelKind::decoder;
  int64_t vocabulary = 256;
  int64_t width = 128;
  int64_t layers = 2;
  int64_t heads = 4;
  int64_t key_heads = 0;
  int64_t head_size = 0;
  int64_t hidden = 0;
  int64_t max_length = 256;
  int64_t decoder_layers = 0, decoder_heads = 0, decoder_hidden = 0;
  bool shared_layers = false;

  std::string scheme = "none";
  OptionValues scheme_options;
  std::string global_scheme;  // of the layers that global_every tells; empty: the same
  OptionValues full_scheme_options;
  PositionPolicy::Kind positions = PositionPolicy::Kind::row;
  int32_t position_offset = 0;

  int64_t embedding_width = 0;
  float embedding_scale = 1;
  bool embedding_norm = false;
  int64_t segments = 0;
  int32_t padding_token = -1;

  NormKind norm = NormKind::layer;
  NormPlace norm_place = NormPlace::before;
  float norm_eps = 1e-5f;
  bool norm_bias = true;
  bool first_norm = true;
  bool final_norm = true;
  Residual residual = Residual::sequential;
  float residual_scale = 1;
  Activation activation = Activation::gelu;
  bool gated = false;
  bool query_bias = true, key_bias = true, value_bias = true, output_bias = true, hidden_bias = true;
  bool fused_qkv = false;
  bool head_norms = false, joint_norms = false;
  float attention_scale = 0, score_cap = 0;
  int64_t window = 0;
  int64_t global_every = 0, global_first = 0;
  float dropout = 0, attention_dropout = 0;

  HeadKind head = HeadKind::next_token;
  bool tied = true;
  bool head_bias = false;
  float head_scale = 1, logit_cap = 0;
  bool head_dense = false, dense_bias = true;
  int64_t labels = 2;
  bool label_bias = true;
  Pooling pooling = Pooling::first;
  Activation pooler = Activation::none;
  bool normalize = false;
  float init_std = 0.02f;

  template <class F>
  void fields(F& f);  // names, limits and meanings; in blueprint_fields.h

  // What "0: .." of the fields stands for.
  int64_t query_width() const { return heads * size_of_head(); }
  int64_t key_head_count() const { return key_heads > 0 ? key_heads : heads; }
  int64_t size_of_head() const { return head_size > 0 ? head_size : width / heads; }
  int64_t row_width() const { return embedding_width > 0 ? embedding_width : width; }
  int64_t hidden_width() const { return hidden > 0 ? hidden : 4 * width; }
  bool is_full(int64_t layer) const { return global_every > 0 && layer % global_every == global_first; }
  int64_t window_of(int64_t layer) const { return is_full(layer) ? 0 : window; }
  PositionPolicy policy() const { return {positions, position_offset}; }
  // How much narrower the projections that add to the residual start, so that it does not grow with depth
  // (Radford et al. 2019).
  double residual_start() const {
    return norm_place != NormPlace::after ? std::sqrt(0.5 / static_cast<double>(std::max<int64_t>(layers, 1)))
                                          : 1;
  }
  Geometry geometry() const;  // what the scheme of a single stack is made for
  // The stacks of an encoder-decoder, each as a blueprint of its own.
  Blueprint encoder_part() const;
  Blueprint decoder_part() const;
};

// Everything that is wrong with it, each a sentence; empty when it can be built.
std::vector<std::string> problems(const Blueprint& blueprint);

// As named values and back: every field under its name, the scheme as scheme.name and scheme.<option>, that
// of full layers likewise as global_scheme.name. All problems in one error that begins with `owner`.
OptionValues values_of(const Blueprint& blueprint);
Blueprint blueprint_of(std::string_view owner, const OptionValues& values);

}  // namespace locus
