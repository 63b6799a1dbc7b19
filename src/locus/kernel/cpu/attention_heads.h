// The heads of a packed batch: the location of the queries, keys and pairs of one (sequence, head), and the
// slots that its distances use.
#pragma once

#include <algorithm>
#include <cstdint>

#include "locus/kernel/attention.h"

namespace locus::kernel::cpu {

struct Head {
  int64_t b, h, g;     // sequence, head, key head
  int64_t q, q_count;  // rows of q
  int64_t k, k_count;  // rows of k
  int64_t pair;        // start of its block in a row of a dense term
};

inline Head head_of(const AttentionArgs& args, int64_t b, int64_t h) {
  const int32_t* q = args.sequences.query_starts.as<int32_t>();
  const int32_t* k = args.sequences.key_starts.as<int32_t>();
  int64_t pair = 0;
  for (int64_t i = 0; args.dense && i < b; ++i) pair += int64_t{q[i + 1] - q[i]} * (k[i + 1] - k[i]);
  return {b, h, h / (args.heads / args.key_heads), q[b], q[b + 1] - q[b], k[b], k[b + 1] - k[b], pair};
}

inline int64_t sequence_count(const AttentionArgs& args) { return args.sequences.query_starts.cols - 1; }

inline int64_t longest_queries(const AttentionArgs& args) {
  const int32_t* q = args.sequences.query_starts.as<int32_t>();
  int64_t longest = 0;
  for (int64_t b = 0; b < sequence_count(args); ++b) longest = std::max<int64_t>(longest, q[b + 1] - q[b]);
  return longest;
}

// The columns of a head in q, k and v.
inline const float* queries_of(const AttentionArgs& args, const Head& head) {
  return args.q.row<float>(head.q) + head.h * args.head_size;
}
inline const float* keys_of(const AttentionArgs& args, const Head& head) {
  return args.k.row<float>(head.k) + head.g * args.head_size;
}
inline const float* values_of(const AttentionArgs& args, const Head& head) {
  return args.v.row<float>(head.k) + head.g * args.head_size;
}

// The keys and values of a head in the room of its sequence: transposed blocks of kRoomBlock keys, and rows.
struct RoomHead {
  const float *keys, *values;
  int64_t value_stride;
};
inline RoomHead room_of(const AttentionArgs& args, const Head& head) {
  const auto& [keys, values] = args.rooms[static_cast<size_t>(head.b)];
  return {keys.row<float>(keys.rows / args.key_heads * head.g),
          values.row<float>(values.rows / args.key_heads * head.g), values.stride};
}

// A single query of a sequence in a room, as in decoding. Slot terms and dropout need a panel of queries.
inline bool single_query(const AttentionArgs& args, const Head& head) {
  return !args.rooms.empty() && head.q_count == 1 && !args.by_query.table && !args.by_key.table &&
         args.dropout == 0;
}

// The head restricted to some of its queries or keys.
inline Head with_queries(Head head, int64_t first, int64_t count) {
  head.q += first, head.q_count = count;
  return head;
}
inline Head with_keys(Head head, int64_t first, int64_t count) {
  head.k += first, head.k_count = count;
  return head;
}

struct SlotRange {
  int64_t first = 0, count = 0;
};

// The minimum and maximum, in a loop that compilers vectorize.
struct MinMax {
  int32_t min, max;

  MinMax(const int32_t* x, int64_t n) : min(x[0]), max(x[0]) {
    for (int64_t i = 1; i < n; ++i) min = std::min(min, x[i]), max = std::max(max, x[i]);
  }
};

// The range of slots that the distances of this head use. Other slots need not be multiplied.
inline SlotRange slots_of(const AttentionArgs& args, const SlotViews& term, const Head& head) {
  if (!term.table || head.q_count == 0 || head.k_count == 0) return {};
  const MinMax q(args.sequences.query_positions.as<int32_t>() + head.q, head.q_count);
  const MinMax k(args.sequences.key_positions.as<int32_t>() + head.k, head.k_count);
  const int64_t first = k.min - q.max, last = k.max - q.min;
  const MinMax slots(term.slots.as<int32_t>() + term.zero + first, last - first + 1);
  return {slots.min, slots.max - slots.min + 1};
}

}  // namespace locus::kernel::cpu
