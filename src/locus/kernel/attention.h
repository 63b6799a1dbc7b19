// Attention over packed sequences, with the terms a position scheme may add to its scores.
//
// For head h, query token i and key token j of the same sequence, d = position of j - position of i:
//   score(h, i, j) = scale q_i.k_j + by_distance[h, d] + dense[h, i, j]
//                  + scale q_i.by_query[h, slot(d)] + scale k_j.by_key[h, slot(d)]
//   out(h, i) = sum_j softmax_j(score) v_j
// over the keys that may be seen, when the last query and the last key of a sequence stand together: all of
// the sequence's; causal, those not after i; with a window w, only those less than w from i. A query that
// sees no key, or whose scores are all -infinity, gives zeros. With a cap c, c tanh(score / c) takes the
// place of the score, but of -infinity: what is hidden stays so. Head h of H uses key head h / (H / G) of G.
// Nothing of size length x length is stored.
#pragma once

#include <cstdint>

#include "locus/tensor/view.h"

namespace locus::kernel {

inline constexpr int64_t kMaxHeadSize = 4096;

// Where the packed tokens belong: sequence b has queries [query_starts[b], query_starts[b+1]) and keys
// likewise.
struct SequenceViews {
  ConstView query_starts, key_starts;        // i32 [B+1]
  ConstView query_positions, key_positions;  // i32 [Nq], [Nk]
  bool contiguous = true;                    // positions rise by one inside every sequence
};

// A table over distances: column (or slot number) d + zero belongs to distance d. It covers all distances of
// a sequence's keys and queries, those that a mask hides too.
struct DistanceViews {
  ConstView table;  // f32 [H, S]
  int64_t zero = 0;
};

// Vectors by slot, and the slot of every distance.
struct SlotViews {
  ConstView table;  // [slots, H*D], or [slots, D] for all heads
  ConstView slots;  // i32 [S], each in [0, slots)
  int64_t zero = 0;
};

struct AttentionArgs {
  ConstView q;     // [Nq, H*D]
  ConstView k, v;  // [Nk, G*D]
  SequenceViews sequences;
  int64_t heads = 0, key_heads = 0, head_size = 0;
  float scale = 1, cap = 0;  // 0: no cap
  bool causal = false;
  int64_t window = 0;  // 0: no window
  DistanceViews by_distance;
  SlotViews by_query, by_key;
  ConstView dense;  // [H, P]: the sequences' [queries, keys] blocks one after the other
  // On the softmax's weights; an element's number is (h Nq + i) * longest + (j in its sequence).
  float dropout = 0;
  uint64_t seed = 0, stream = 0;
  int64_t longest = 0;  // the largest number of keys of a sequence
  View out;             // [Nq, H*D]
  View lse;             // [Nq, H]: log of the sum of e^score, for the backward pass; absent when not wanted
  View workspace;       // [1, attention_workspace(args)]
};

// Gradients; each of the outputs is absent when not wanted, and overwritten otherwise.
struct AttentionBackwardArgs {
  AttentionArgs forward;  // as it was, out and lse holding what it wrote
  ConstView dout;         // [Nq, H*D]
  View dq, dk, dv;
  View dby_distance;        // [H, S]
  View dby_query, dby_key;  // as their tables
  View ddense;              // [H, P]
  View workspace;           // [1, attention_backward_workspace(args)]
};

}  // namespace locus::kernel
