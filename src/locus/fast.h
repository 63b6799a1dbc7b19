// The position kernels as functions on tensors: rotation (RoPE), biases by distance (ALiBi), attention with
// both, and the input embedding. No scheme, model or gradient tape is involved. Every function checks its
// arguments and throws locus::Error.
//
// Letters: N tokens, H heads, G key heads, D head size, C model size. Tokens of several sequences are packed:
// one sequence after the other, without padding. A Placement holds their boundaries and positions.
#pragma once

#include <functional>
#include <memory>

#include "locus/base/list_view.h"
#include "locus/scheme/alibi.h"
#include "locus/scheme/placement.h"
#include "locus/scheme/rotary.h"

namespace locus::fast {

// Rotates queries and keys by angles proportional to their positions. The options are the base, the number of
// rotated components, the layout of pairs, and all scalings (scheme/rotary.h). Cosines and sines are computed
// when they are first needed, and cached. Any number of threads may use one Rotator.
class Rotator {
 public:
  // max_length: the trained length, for scalings that need it and options that do not give it.
  explicit Rotator(int64_t head_size, const Rotary& options = {}, int64_t max_length = 0);
  Rotator(Rotator&&) noexcept;
  Rotator& operator=(Rotator&&) noexcept;
  ~Rotator();

  // Rotates x [N, heads * D] in place: every head of row n by the angles of the n-th position. x may be
  // columns of a wider tensor. The positions are those of one sequence, in any order; a scaling that depends
  // on the length takes the largest position + 1.
  void rotate(const Tensor& x, ListView<int32_t> positions) const;
  // The same for packed sequences: x has a row for each query token of the placement. Rotate new keys with
  // the placement of their own tokens.
  void rotate(const Tensor& x, const Placement& placement) const;

  // Turns the gradient of a rotated tensor into the gradient of the original one, in place.
  void rotate_back(const Tensor& dy, ListView<int32_t> positions) const;
  void rotate_back(const Tensor& dy, const Placement& placement) const;

  int64_t head_size() const;
  // Cosines, sines and their rows for the tokens of a placement.
  RotationTerm angles(const Placement& placement) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// A number for every head and distance: column d + zero belongs to the distance d = key position - query
// position.
struct DistanceBias {
  Tensor table;  // [H, distances]; no table: no bias
  int64_t zero = 0;
};

// The biases of ALiBi, -slope(h) |d|, for positions below `length`. Option scaled needs the head size.
DistanceBias alibi_bias(int64_t heads, int64_t length, const Alibi& options = {}, int64_t head_size = 0);
// Any biases for positions below `length`: value(h, d) for distances -(length - 1) to length - 1.
DistanceBias distance_bias(int64_t heads, int64_t length,
                           const std::function<double(int64_t head, int64_t distance)>& value);

struct AttentionOptions {
  int64_t heads = 1;
  int64_t key_heads = 0;  // 0: the same as heads
  float scale = 0;        // 0: 1/sqrt(D)
  float cap = 0;          // soft cap c of the scores: c tanh(score / c); 0: none
  bool causal = false;
  int64_t window = 0;  // keys at this distance or further are not visible; 0: no window
  DistanceBias bias;
  const Rotator* rotator = nullptr;  // rotates copies of q and k; q and k do not change
};

// softmax(scale q.k + bias) v within each sequence of the placement: q [Nq, H*D], k and v [Nk, G*D], result
// [Nq, H*D]. Nothing of size length x length is stored.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Placement& placement,
                 const AttentionOptions& options);

struct EmbedTables {
  Tensor tokens;       // [V, C], f32 or bf16
  Tensor positions;    // [P, C]; if absent, no positions are added
  Tensor gamma, beta;  // [C]; no gamma: no norm
  float eps = 1e-5f;
  bool rms = false;  // RMS norm instead of layer norm; excludes beta
};

// norm(tokens[ids[n]] + positions[rows[n]]), [N, C], in one pass over memory. Without a table of positions,
// `rows` is empty.
Tensor embed_norm(const EmbedTables& tables, ListView<int32_t> ids, ListView<int32_t> rows = {});

}  // namespace locus::fast
