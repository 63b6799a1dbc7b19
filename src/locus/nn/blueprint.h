// The architecture of a model as plain data. The class Transformer implements every blueprint, whatever the
// model family. Letters: V vocabulary size, C width (hidden size), H heads, D head size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/base/fields.h"
#include "locus/kernel/activation.h"
#include "locus/scheme/scheme.h"

namespace locus {

enum class ModelKind { encoder, decoder, encoder_decoder };
enum class NormKind { layer, rms, rms_from_one };  // the last scales by 1 + weight
// Norms of attention and feed-forward: before each (pre-norm), after each residual sum (post-norm), before
// each and on its output (around), or on its output only (added).
enum class NormPlace { before, after, around, added };
// sequential: feed-forward reads the residual sum after attention. parallel: attention and feed-forward read
// the same input, each through its own norm or both through one, and both outputs are added to it.
enum class Residual { sequential, parallel, parallel_one_norm };
enum class HeadKind {
  none,            // hidden states
  next_token,      // logits of the next token (causal language model)
  masked_token,    // logits of masked tokens (masked language model)
  sequence_class,  // logits of the label of a sequence
  token_class,     // logits of the label of each token
  answer,          // for each token the logits of being the start and the end of the answer
  embedding,       // one vector per sequence
};
inline constexpr std::string_view kHeadWords =
    "none|next_token|masked_token|sequence_class|token_class|answer|embedding";
constexpr bool predicts_tokens(HeadKind head) {
  return head == HeadKind::next_token || head == HeadKind::masked_token;
}
enum class Pooling { first, mean, last };  // tokens that represent a sequence

struct Blueprint {
  struct Embedding {
    std::optional<int64_t> width;  // of the token rows, which are then projected to the model's width
    float scale = 1;
    bool norm = false;
    int64_t segments = 0;
    std::optional<int32_t> padding_token;
    bool operator==(const Embedding&) const = default;
  };
  struct Norms {
    NormKind kind = NormKind::layer;
    NormPlace place = NormPlace::before;
    float eps = 1e-5f;
    bool bias = true;
    bool first = true, final = true;
    bool operator==(const Norms&) const = default;
  };
  struct Attention {
    int64_t heads = 4;
    std::optional<int64_t> key_heads, head_size;
    bool query_bias = true, key_bias = true, value_bias = true, output_bias = true;
    bool fused_qkv = false;
    bool head_norms = false, joint_norms = false;
    std::optional<float> scale;
    float cap = 0;       // 0: no cap
    int64_t window = 0;  // 0: all keys
    float dropout = 0;
    bool operator==(const Attention&) const = default;
  };
  struct GlobalLayers {  // global-attention layers: no window, and `scheme` if it is not empty
    int64_t every = 0, first = 0;
    std::string scheme;
    OptionValues scheme_options;
    bool operator==(const GlobalLayers&) const = default;
  };
  struct FeedForward {
    std::optional<int64_t> hidden;
    Activation activation = Activation::gelu;
    bool gated = false;
    bool bias = true;
    bool operator==(const FeedForward&) const = default;
  };
  struct Decoder {  // of an encoder-decoder, where it differs from the encoder
    std::optional<int64_t> layers, heads, hidden;
    bool operator==(const Decoder&) const = default;
  };
  struct Head {
    HeadKind kind = HeadKind::next_token;
    bool tied = true;
    bool bias = false;
    float scale = 1, cap = 0;
    bool dense = false, dense_bias = true;
    int64_t labels = 2;
    bool label_bias = true;
    Pooling pooling = Pooling::mean;
    Activation pooler = Activation::none;
    bool normalize = false;
    bool operator==(const Head&) const = default;
  };

  ModelKind kind = ModelKind::decoder;
  int64_t vocabulary = 256;
  int64_t width = 128;
  int64_t layers = 2;
  bool shared_layers = false;
  int64_t max_length = 256;
  std::string scheme = "none";
  OptionValues scheme_options;
  PositionPolicy::Kind positions = PositionPolicy::Kind::row;
  int32_t position_offset = 0;
  Embedding embedding;
  Norms norms;
  Attention attention;
  GlobalLayers global;
  FeedForward feed_forward;
  Residual residual = Residual::sequential;
  float residual_scale = 1;
  float dropout = 0;
  Decoder decoder;
  Head head;
  std::optional<float> init_std;

  bool operator==(const Blueprint&) const = default;

  template <class F>
  void fields(F& f);  // names, limits and descriptions; defined in blueprint_fields.h

  // The optional fields, derived from other fields where they are not set.
  int64_t key_head_count() const { return attention.key_heads.value_or(attention.heads); }
  int64_t size_of_head() const {
    return attention.head_size ? *attention.head_size : width / attention.heads;
  }
  int64_t row_width() const { return embedding.width.value_or(width); }
  int64_t hidden_width() const { return feed_forward.hidden.value_or(4 * width); }
  bool is_global(int64_t layer) const { return global.every > 0 && layer % global.every == global.first; }
  int64_t window_of(int64_t layer) const { return is_global(layer) ? 0 : attention.window; }
  PositionPolicy policy() const { return {positions, position_offset}; }
  // Smaller for token heads, whose weights may be the embeddings (Nguyen and Salazar 2019, arXiv 1910.05895).
  float initial_std() const;
  // Factor on the init std of projections that add to the residual stream, so that its variance does not grow
  // with depth (Radford et al. 2019).
  double residual_init_scale() const {
    return norms.place != NormPlace::after
               ? std::sqrt(0.5 / static_cast<double>(std::max<int64_t>(layers, 1)))
               : 1;
  }
  Geometry geometry() const;  // for the scheme of a single stack
  // The two stacks of an encoder-decoder, each as a blueprint.
  Blueprint encoder_part() const;
  Blueprint decoder_part() const;
};

// All errors in a blueprint, one sentence each; empty if the model can be built.
std::vector<std::string> problems(const Blueprint& blueprint);
// The same with the names of its schemes in place of their aliases. Unknown names stay.
Blueprint with_scheme_names(Blueprint blueprint);

// Conversion to named values and back: every field under its name, the scheme as scheme.name and
// scheme.<option>, the scheme of global-attention layers as global_scheme.name and global_scheme.<option>.
// blueprint_of() reports all problems in one error that begins with `owner`.
OptionValues values_of(const Blueprint& blueprint);
Blueprint blueprint_of(std::string_view owner, const OptionValues& values);

}  // namespace locus
