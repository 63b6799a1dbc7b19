// The backward pass of attention processes one chunk of queries at a time. This file has the memory of a
// chunk, its loading, and the sums that depend only on a block of score gradients.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_CHUNK_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_CHUNK_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_CHUNK_INL_H_
#endif

#include <utility>

#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/attention_slots-inl.h"
#include "locus/kernel/cpu/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Panels of queries in a chunk: enough depth for the products that sum over queries.
inline constexpr int64_t kPanels = 4;
inline constexpr int64_t kChunk = kPanels * kCols;
inline constexpr int64_t kMaxGroups = 8;  // groups of sequences; limits the memory of the partial sums

struct BackwardPlan {
  int64_t groups, wide;                                   // wide: D rounded up to kRows
  int64_t distances, query_slots, key_slots, thread;      // partial sums, then the parts of the threads
  int64_t distance_size, query_slot_size, key_slot_size;  // size of the partial sum of one head
  int64_t keys, values, columns, reversed, dk, dv;  // within the part of a thread; dk and dv: [wide][kCols]
  int64_t dk_slots, chunk, slots, slot_gradients;   // dk_slots: rows, the contribution of slots to dk
  SlotPlan slot_plan;
  int64_t thread_size, size;

  explicit BackwardPlan(const AttentionArgs& args) {
    const int64_t D = args.head_size, H = args.heads, keys_padded = padded(args.longest, kRows);
    const int64_t gradients = padded(args.longest, kCols);
    groups = std::min(kMaxGroups, sequence_count(args));
    wide = padded(D, kRows);
    distance_size = args.by_distance.table ? args.by_distance.table.cols + 2 * kMargin : 0;
    query_slot_size = args.by_query.table ? args.by_query.table.rows * D : 0;
    key_slot_size = args.by_key.table ? args.by_key.table.rows * D : 0;
    distances = 0;
    query_slots = distances + groups * H * distance_size;
    key_slots = query_slots + groups * H * query_slot_size;
    thread = key_slots + groups * H * key_slot_size;
    slot_plan = SlotPlan(args);
    int64_t at = 0;
    const auto take = [&](int64_t count) {
      const int64_t begin = at;
      at += count;
      return begin;
    };
    keys = take(keys_padded * D), values = take(keys_padded * D), columns = take(args.longest * wide);
    reversed = take(distance_size), dk = take(gradients * wide), dv = take(gradients * wide);
    dk_slots = take(args.by_key.table ? args.longest * D : 0);
    chunk = take(kChunk * (2 * D + 3 * wide + 2) + 2 * kBlockKeys * (kCols + kChunk));
    slots = take(slot_plan.size), slot_gradients = take(slot_plan.packed);
    thread_size = at;
    size = thread + threads() * thread_size;
  }
};

// A chunk of queries with its packed copies and sums.
struct Chunk {
  int64_t first, count;
  float *q, *dout;            // panels [D][kCols] each: scaled queries, and the gradient of the output
  float *q_rows, *dout_rows;  // the same as left sides, summed over queries: [kChunk][kRows] per kRows of D
  float* dq;                  // panels [wide][kCols]
  float *lse, *out_dot;       // [kChunk]: the log-sum and out . dout of each query
  float *s, *ds;              // [kBlockKeys][kCols]
  float *weights, *dscores;   // right sides: panels of kCols keys, each [kChunk][kCols]

  Chunk(const BackwardPlan& plan, int64_t D, float* memory) {
    const auto take = [&](int64_t floats) { return std::exchange(memory, memory + floats); };
    q = take(kChunk * D), dout = take(kChunk * D);
    q_rows = take(kChunk * plan.wide), dout_rows = take(kChunk * plan.wide);
    dq = take(kChunk * plan.wide);
    lse = take(kChunk), out_dot = take(kChunk);
    s = take(kBlockKeys * kCols), ds = take(kBlockKeys * kCols);
    weights = take(kBlockKeys * kChunk), dscores = take(kBlockKeys * kChunk);
  }
};

// Packs scaled rows of tokens as a left side that is summed over tokens; rows past the last are zero.
HWY_INLINE void pack_rows(const float* from, int64_t stride, int64_t count, int64_t D, float factor,
                          float* out) {
  for (int64_t c = 0; c < D; c += kRows, out += kChunk * kRows) {
    copy_padded<kRows>(from + c, stride, count, std::min(kRows, D - c), out);
    scale_into(out, out, count * kRows, factor);
    std::fill_n(out + count * kRows, (kChunk - count) * kRows, 0.0f);
  }
}

inline void LoadChunk(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head,
                      Chunk& chunk) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size, row = head.q + chunk.first;
  const float* q = queries_of(a, head) + chunk.first * a.q.stride;
  const float* dout = args.dout.row<float>(row) + head.h * D;
  const float* out = ConstView(a.out).row<float>(row) + head.h * D;
  for (int64_t panel = 0; panel < kPanels; ++panel) {
    const int64_t lane = panel * kCols, count = std::clamp<int64_t>(chunk.count - lane, 0, kCols);
    pack_panel(q + lane * a.q.stride, a.q.stride, count, D, a.scale, chunk.q + lane * D);
    pack_panel(dout + lane * args.dout.stride, args.dout.stride, count, D, 1, chunk.dout + lane * D);
  }
  pack_rows(q, a.q.stride, chunk.count, D, a.scale, chunk.q_rows);
  pack_rows(dout, args.dout.stride, chunk.count, D, 1, chunk.dout_rows);
  std::fill_n(chunk.dq, kChunk * plan.wide, 0.0f);
  // Prefetch the rows of the next chunk.
  for (int64_t i = kChunk; i < std::min(2 * kChunk, head.q_count - chunk.first); ++i) {
    prefetch_strip(q + i * a.q.stride, D);
    prefetch_strip(dout + i * args.dout.stride, D);
    prefetch_strip(out + i * a.out.stride, D);
  }
  for (int64_t i = 0; i < kChunk; ++i) {
    // Missing queries, and queries that saw no key, get a log-sum that makes every weight 0.
    chunk.lse[i] = std::numeric_limits<float>::infinity();
    chunk.out_dot[i] = 0;
    if (i >= chunk.count) continue;
    const float lse = ConstView(a.lse).row<float>(row + i)[head.h];
    if (lse != -std::numeric_limits<float>::infinity()) chunk.lse[i] = lse;
    const float *given = dout + i * args.dout.stride, *made = out + i * a.out.stride;
    chunk.out_dot[i] = accumulate(D, [&](auto d, int64_t c, auto sum) HWY_ATTR {
      return hn::MulAdd(hn::LoadU(d, given + c), hn::LoadU(d, made + c), sum);
    });
  }
}

// Converts s from scores to weights, and ds from gradients of weights to gradients of scores (before the cap,
// if any). Rows up to the next multiple of kCols become zero.
template <bool kCapped>
HWY_INLINE void differentiate(const Chunk& chunk, int64_t lane, int64_t keys, float cap) {
  const F f;
  // Derivative of cap tanh(x / cap), from its value. -infinity has weight 0 and counts as the smallest value,
  // -cap.
  const auto slope = [&](V score) HWY_ATTR {
    const V part = hn::Max(hn::Mul(score, hn::Set(f, 1 / cap)), hn::Set(f, -1.0f));
    return hn::NegMulAdd(part, part, hn::Set(f, 1.0f));
  };
  for (int64_t i = 0; i < kCols; i += kLanes) {
    const V lse = hn::LoadU(f, chunk.lse + lane + i), out_dot = hn::LoadU(f, chunk.out_dot + lane + i);
    float* s = chunk.s + i;
    float* ds = chunk.ds + i;
    each_key(
        keys, [&](int64_t key) HWY_ATTR { return exp(f, hn::Sub(hn::LoadU(f, s + key * kCols), lse)); },
        [&](int64_t key, V weight) HWY_ATTR {
          V factor = weight;
          if constexpr (kCapped) factor = hn::Mul(factor, slope(hn::LoadU(f, s + key * kCols)));
          hn::StoreU(weight, f, s + key * kCols);
          hn::StoreU(hn::Mul(factor, hn::Sub(hn::LoadU(f, ds + key * kCols), out_dot)), f, ds + key * kCols);
        });
  }
  const int64_t rest = (padded(keys, kCols) - keys) * kCols;
  std::fill_n(chunk.s + keys * kCols, rest, 0.0f);
  std::fill_n(chunk.ds + keys * kCols, rest, 0.0f);
}

// Not inlined, for the same reason as cap_scores().
HWY_NOINLINE inline void differentiate_capped(const Chunk& chunk, int64_t lane, int64_t keys, float cap) {
  differentiate<true>(chunk, lane, keys, cap);
}

// Partial sums of the score terms, to which the gradients of the scores are added.
struct TermSums {
  float* distances;                // reversed, as in HeadData
  float *query_slots, *key_slots;  // [queries][slots] and [keys][slots], already scaled
};

// For contiguous positions: the keys j, j + kLanes, ... use the same pieces of the table, each one vector
// further back. So the sums of the three current vectors stay in registers, and no value is read right after
// it was written.
HWY_INLINE void add_diagonals(const float* ds, int64_t keys, float* piece) {
  const F f;
  for (int64_t first = 0; first < HWY_MIN(kLanes, keys); ++first) {
    float* at = piece - first;
    Row sum = load_row(at);
    for (int64_t j = first; j < keys; j += kLanes, at -= kLanes) {
      const Row row = load_row(ds + j * kCols);
      hn::StoreU(hn::Add(sum.z, row.z), f, at + 2 * kLanes);
      sum.z = hn::Add(sum.y, row.y);
      sum.y = hn::Add(sum.x, row.x);
      sum.x = hn::LoadU(f, at - kLanes);
    }
    hn::StoreU(sum.z, f, at + 2 * kLanes);
    hn::StoreU(sum.y, f, at + kLanes);
  }
}

HWY_INLINE void add_distance_gradient(const AttentionArgs& a, const Head& head, const Panel& panel,
                                      int64_t first, int64_t keys, const float* ds, float* sums) {
  const int32_t* q_at = a.sequences.query_positions.as<int32_t>() + head.q + panel.first;
  const int32_t* k_at = a.sequences.key_positions.as<int32_t>() + head.k + first;
  float* table = sums + kMargin + a.by_distance.table.cols - 1 - a.by_distance.zero;
  if (a.sequences.contiguous) return add_diagonals(ds, keys, table + q_at[0] - k_at[0]);
  for (int64_t j = 0; j < keys; ++j, ds += kCols) {
    for (int64_t lane = 0; lane < panel.count; ++lane) table[q_at[lane] - k_at[j]] += ds[lane];
  }
}

// Neighboring lanes of a key often use the same slot. Their sum is accumulated in a register, because
// successive additions to the same memory would wait for each other.
HWY_INLINE void add_slot_gradient(const AttentionArgs& a, const Head& head, const HeadData& data,
                                  const Panel& panel, int64_t first, int64_t keys, const float* ds,
                                  const TermSums& sums) {
  const SlotLookup q(a, a.by_query, head, panel, first), k(a, a.by_key, head, panel, first);
  const SlotProducts &by_query = data.by_query, &by_key = data.by_key;
  const int64_t lanes = panel.count;
  const float scale = a.scale;
  for (int64_t j = 0; j < keys; ++j, ds += kCols) {
    if (by_query.rows) {
      float* rows = sums.query_slots + panel.first * by_query.stride - by_query.first;
      for (int64_t lane = q.first_lane(j); lane < lanes; ++lane)
        rows[lane * by_query.stride + q.slot(j, lane)] += scale * ds[lane];
    }
    if (by_key.rows && k.first_lane(j) < lanes) {
      float* row = sums.key_slots + (first + j) * by_key.stride - by_key.first;
      int64_t lane = k.first_lane(j), slot = k.slot(j, lane);
      float sum = ds[lane];
      for (++lane; lane < lanes; ++lane) {
        const int64_t next = k.slot(j, lane);
        if (next != slot) row[std::exchange(slot, next)] += scale * std::exchange(sum, 0.0f);
        sum += ds[lane];
      }
      row[slot] += scale * sum;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
