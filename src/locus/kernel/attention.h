// Attention over packed sequences, with the score terms that a position scheme can add.
//
// For head h, query token i and key token j of the same sequence, d = position of j - position of i:
//   score(h, i, j) = scale q_i.k_j + by_distance[h, d] + dense[h, i, j]
//                  + scale q_i.by_query[h, slot(d)] + scale k_j.by_key[h, slot(d)]
//   out(h, i) = sum_j softmax_j(score) v_j
// The sum runs over the visible keys. The attention mask aligns the last query of a sequence with its last
// key. Without a mask every key of the sequence is visible. A causal query sees no key after itself. With a
// window w it sees only keys at a distance below w.
// A query that sees no key, or whose scores are all -infinity, outputs zeros. A cap c replaces the score by c
// tanh(score / c); a score of -infinity stays -infinity, so hidden keys stay hidden. With H heads and G key
// heads, head h uses key head h / (H / G). Nothing of size length x length is stored.
#pragma once

#include <cstdint>
#include <span>

#include "locus/kernel/room.h"
#include "locus/tensor/view.h"

namespace locus::kernel {

inline constexpr int64_t kMaxHeadSize = 4096;

// Boundaries and positions of the packed sequences. Sequence b has the queries [query_starts[b],
// query_starts[b+1]) and the keys [key_starts[b], key_starts[b+1]).
struct SequenceViews {
  ConstView query_starts, key_starts;        // i32 [B+1]
  ConstView query_positions, key_positions;  // i32 [Nq], [Nk]
  bool contiguous = true;                    // positions increase by one within every sequence
};

// A table over distances. Column d + zero belongs to distance d. The table covers all distances between the
// keys and queries of a sequence, including those that the attention mask hides.
struct DistanceViews {
  ConstView table;  // f32 [H, S]
  int64_t zero = 0;
};

// A table of vectors, and the row (slot) that each distance uses. slots[d + zero] belongs to distance d.
struct SlotViews {
  ConstView table;  // [slots, H*D], or [slots, D] if all heads share it
  ConstView slots;  // i32 [S], each in [0, slots)
  int64_t zero = 0;
};

struct AttentionArgs {
  ConstView q;     // [Nq, H*D]
  ConstView k, v;  // [Nk, G*D]; absent if there are rooms
  // One for each sequence, instead of k and v. Only the forward pass reads them, without lse.
  std::span<const RoomViews> rooms;
  SequenceViews sequences;
  int64_t heads = 0, key_heads = 0, head_size = 0;
  float scale = 1, cap = 0;  // 0: no cap
  bool causal = false;
  int64_t window = 0;  // 0: no window
  DistanceViews by_distance;
  SlotViews by_query, by_key;
  ConstView dense;  // [H, P]: the [queries, keys] blocks of all sequences, concatenated
  // Dropout on the softmax weights. The random number of an element is taken at index (h Nq + i) * longest +
  // (index of j in its sequence).
  float dropout = 0;
  uint64_t seed = 0, stream = 0;
  int64_t longest = 0;  // number of keys of the longest sequence
  View out;             // [Nq, H*D]
  View lse;             // [Nq, H]: log of the sum of e^score, for the backward pass; absent if not needed
  View workspace;       // [1, attention_workspace(args)]
};

// Gradients. An absent output is not computed; the other outputs are overwritten.
struct AttentionBackwardArgs {
  AttentionArgs forward;  // the forward arguments; out and lse hold the forward results
  ConstView dout;         // [Nq, H*D]
  View dq, dk, dv;
  View dby_distance;        // [H, S]
  View dby_query, dby_key;  // same shapes as the tables
  View ddense;              // [H, P]
  View workspace;           // [1, attention_backward_workspace(args)]
};

}  // namespace locus::kernel
