// Attention, backward. The weights are computed again from the scores and the kept log-sums, a chunk of
// queries against a block of keys at a time. A task owns one key head of one group of sequences, walks them
// in order and adds what concerns the tables into partial sums of its own; these are then added group by
// group. So every sum has one order.
#include <cmath>

#include "locus/kernel/cpu/cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/attention_backward.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/attention_slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

inline constexpr int64_t kPanels =
    4;  // of queries in a chunk: enough depth for the products that sum over queries
inline constexpr int64_t kChunk = kPanels * kCols;
inline constexpr int64_t kMaxGroups = 8;  // of sequences; bounds the memory of the partial sums

struct BackwardPlan {
  int64_t groups, wide, broad;                            // D rounded up to kRows and to kCols
  int64_t distances, query_slots, key_slots, thread;      // partial sums, then the threads' parts
  int64_t distance_size, query_slot_size, key_slot_size;  // of one head's partial sum
  int64_t keys, values, columns, reversed, dk, dv, chunk, slots, slot_gradients;  // inside a thread's part
  SlotPlan slot_plan;
  int64_t thread_size, size;

  explicit BackwardPlan(const AttentionArgs& args) {
    const int64_t D = args.head_size, H = args.heads, keys_padded = padded(args.longest, kRows);
    groups = std::min(kMaxGroups, sequence_count(args));
    wide = padded(D, kRows), broad = padded(D, kCols);
    distance_size = args.by_distance.table ? args.by_distance.table.cols + 2 * kCols : 0;
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
    reversed = take(distance_size), dk = take(keys_padded * broad), dv = take(keys_padded * broad);
    chunk = take(kChunk * (2 * D + 2 * broad + wide + 2) + 2 * kBlockKeys * (kCols + kChunk));
    slots = take(slot_plan.size), slot_gradients = take(slot_plan.packed);
    thread_size = at;
    size = thread + threads() * thread_size;
  }
};

// A chunk of queries and everything about it that is packed or added up.
struct Chunk {
  int64_t first, count;
  float *q, *dout;  // panels [D][kCols] each: scaled queries, and the output's gradient
  float *q_rows,
      *dout_rows;  // the same as right sides that are summed over queries: [kChunk][kCols] per piece of D
  float* dq;       // panels [wide][kCols]
  float *lse, *out_dot;      // [kChunk]: of each query, the log-sum and out . dout
  float *s, *ds;             // [kBlockKeys][kCols]
  float *weights, *dscores;  // left sides: panels of kRows keys as groups [kChunk][4]

  Chunk(const BackwardPlan& plan, int64_t D, float* memory) {
    const auto take = [&](int64_t floats) { return std::exchange(memory, memory + floats); };
    q = take(kChunk * D), dout = take(kChunk * D);
    q_rows = take(kChunk * plan.broad), dout_rows = take(kChunk * plan.broad);
    dq = take(kChunk * plan.wide);
    lse = take(kChunk), out_dot = take(kChunk);
    s = take(kBlockKeys * kCols), ds = take(kBlockKeys * kCols);
    weights = take(kBlockKeys * kChunk), dscores = take(kBlockKeys * kChunk);
  }
};

// Rows of tokens, scaled, as a right side that is summed over tokens; rows past the last are zero.
HWY_INLINE void pack_rows(const float* from, int64_t stride, int64_t count, int64_t D, float factor,
                          float* out) {
  for (int64_t c = 0; c < D; c += kCols, out += kChunk * kCols) {
    const int64_t valid = std::min(kCols, D - c);
    std::fill_n(out, kChunk * kCols, 0.0f);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < valid; ++i) out[r * kCols + i] = factor * from[r * stride + c + i];
    }
  }
}

void LoadChunk(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head, Chunk& chunk) {
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
  for (int64_t i = 0; i < kChunk; ++i) {
    // No query there, or one that saw no key: a log-sum that makes every weight 0.
    chunk.lse[i] = std::numeric_limits<float>::infinity();
    chunk.out_dot[i] = 0;
    if (i >= chunk.count) continue;
    const float lse = ConstView(a.lse).row<float>(row + i)[head.h];
    if (lse != -std::numeric_limits<float>::infinity()) chunk.lse[i] = lse;
    for (int64_t c = 0; c < D; ++c)
      chunk.out_dot[i] += dout[i * args.dout.stride + c] * out[i * a.out.stride + c];
  }
}

// s: scores to weights; ds: weights' gradients to scores' gradients. Rows up to the next multiple of kRows
// become zero.
HWY_INLINE void differentiate(const Chunk& chunk, int64_t lane, int64_t keys) {
  const F f;
  for (int64_t i = 0; i < kCols; i += kLanes) {
    const V lse = hn::LoadU(f, chunk.lse + lane + i), out_dot = hn::LoadU(f, chunk.out_dot + lane + i);
    for (int64_t j = 0; j < keys; ++j) {
      float* s = chunk.s + j * kCols + i;
      float* ds = chunk.ds + j * kCols + i;
      const V weight = exp(f, hn::Sub(hn::LoadU(f, s), lse));
      hn::StoreU(weight, f, s);
      hn::StoreU(hn::Mul(weight, hn::Sub(hn::LoadU(f, ds), out_dot)), f, ds);
    }
  }
  const int64_t rest = (padded(keys, kRows) - keys) * kCols;
  std::fill_n(chunk.s + keys * kCols, rest, 0.0f);
  std::fill_n(chunk.ds + keys * kCols, rest, 0.0f);
}

// The gradient of the scores, added to the partial sums of the terms.
struct TermSums {
  float* distances;                // backwards, as in HeadData
  float *query_slots, *key_slots;  // [queries][slots] and [keys][slots], already scaled
};

HWY_INLINE void add_distance_gradient(const AttentionArgs& a, const Head& head, const Panel& panel,
                                      int64_t first, int64_t keys, const float* ds, float* sums) {
  const F f;
  const int32_t* q_at = a.sequences.query_positions.as<int32_t>() + head.q + panel.first;
  const int32_t* k_at = a.sequences.key_positions.as<int32_t>() + head.k + first;
  float* table = sums + kCols + a.by_distance.table.cols - 1 - a.by_distance.zero;
  for (int64_t j = 0; j < keys; ++j, ds += kCols) {
    if (!a.sequences.steady) {
      for (int64_t lane = 0; lane < panel.count; ++lane) table[q_at[lane] - k_at[j]] += ds[lane];
      continue;
    }
    float* piece = table + q_at[0] - k_at[j];
    for (int64_t i = 0; i < kCols; i += kLanes) {
      hn::StoreU(hn::Add(hn::LoadU(f, piece + i), hn::LoadU(f, ds + i)), f, piece + i);
    }
  }
}

HWY_INLINE void add_slot_gradient(const AttentionArgs& a, const Head& head, const HeadData& data,
                                  const Panel& panel, int64_t first, int64_t keys, const float* ds,
                                  const TermSums& sums) {
  float* q_rows = sums.query_slots + panel.first * data.query_width - data.query_first;
  float* k_rows = sums.key_slots + first * data.key_width - data.key_first;
  const bool by_query = data.query_slots != nullptr, by_key = data.key_slots != nullptr;
  each_slot(a, head, panel, first, keys,
            [&](int64_t j, int64_t lane, int64_t q_slot, int64_t k_slot) HWY_ATTR {
              const float scaled = a.scale * ds[j * kCols + lane];
              if (by_query) q_rows[lane * data.query_width + q_slot] += scaled;
              if (by_key) k_rows[j * data.key_width + k_slot] += scaled;
            });
}

// What a panel's queries and a block of keys give: weights and score gradients as left sides, and the
// queries' gradient.
void RunPanelBlock(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head,
                   const HeadData& data, const Chunk& chunk, int64_t lane, int64_t first, int64_t keys,
                   const float* scratch, const TermSums& sums) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size;
  const Panel panel = {chunk.first + lane, std::clamp<int64_t>(chunk.count - lane, 0, kCols),
                       chunk.q + lane * D};
  score_block(a, head, data, panel, first, keys, chunk.s);
  for (int64_t j = 0; j < keys; j += kRows) {
    tile<kRows>({.a = scratch + plan.values + (first + j) * D,
                 .group = 4 * D,
                 .b = chunk.dout + lane * D,
                 .depth = D,
                 .c = chunk.ds + j * kCols,
                 .stride = kCols,
                 .load = false});
  }
  const auto drop = [&](float* block) HWY_ATTR {
    for (int64_t i = 0; a.dropout > 0 && i < panel.count; ++i)
      drop_lane(a, head, panel.first + i, first, keys, block + i);
  };
  drop(chunk.ds);
  differentiate(chunk, lane, keys);
  drop(chunk.s);
  if (sums.distances) add_distance_gradient(a, head, panel, first, keys, chunk.ds, sums.distances);
  if (data.query_slots || data.key_slots)
    add_slot_gradient(a, head, data, panel, first, keys, chunk.ds, sums);
  for (int64_t i = 0; args.ddense && i < panel.count; ++i) {
    float* dense = args.ddense.row<float>(head.h) + head.pair + (panel.first + i) * head.k_count + first;
    for (int64_t j = 0; j < keys; ++j) dense[j] = chunk.ds[j * kCols + i];
  }
  const int64_t packed = std::min(kBlockKeys, head.k_count - first);
  for (int64_t c = 0; c < plan.wide; c += kRows) {
    tile<kRows>({.a = scratch + plan.columns + first * plan.wide + c * packed,
                 .group = 4 * packed,
                 .b = chunk.ds,
                 .depth = keys,
                 .c = chunk.dq + lane * plan.wide + c * kCols,
                 .stride = kCols,
                 .load = true});
  }
  for (int64_t j = 0; j < padded(keys, kRows); j += 4) {
    const auto turn = [&](const float* block, float* to) HWY_ATTR {
      const float* rows[4];
      for (int64_t r = 0; r < 4; ++r) rows[r] = block + (j + r) * kCols;
      interleave_rows(rows, kCols, to + j * kChunk + 4 * lane);
    };
    turn(chunk.s, chunk.weights);
    turn(chunk.ds, chunk.dscores);
  }
}

// to[keys][broad] += left^T rows: sums over the chunk's queries.
HWY_INLINE void add_over_queries(const float* left, const float* rows, int64_t queries, int64_t keys,
                                 int64_t broad, float* to) {
  for (int64_t c = 0; c < broad; c += kCols) {
    for (int64_t j = 0; j < keys; j += kRows) {
      tile<kRows>({.a = left + j * kChunk,
                   .group = 4 * kChunk,
                   .b = rows + c * kChunk,
                   .depth = queries,
                   .c = to + j * broad + c,
                   .stride = broad,
                   .load = true});
    }
  }
}

void RunChunk(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head,
              const HeadData& data, int64_t first, float* scratch, const TermSums& sums) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size;
  Chunk chunk(plan, D, scratch + plan.chunk);
  chunk.first = first;
  chunk.count = std::min(kChunk, head.q_count - first);
  LoadChunk(args, plan, head, chunk);
  const KeyRange range = keys_of(a, head, {first, chunk.count, nullptr});
  const int64_t queries = padded(chunk.count, kCols);
  for (int64_t j = range.begin; j < range.end; j += kBlockKeys) {
    const int64_t keys = std::min(kBlockKeys, range.end - j);
    for (int64_t lane = 0; lane < chunk.count; lane += kCols) {
      RunPanelBlock(args, plan, head, data, chunk, lane, j, keys, scratch, sums);
    }
    add_over_queries(chunk.weights, chunk.dout_rows, queries, keys, plan.broad,
                     scratch + plan.dv + j * plan.broad);
    add_over_queries(chunk.dscores, chunk.q_rows, queries, keys, plan.broad,
                     scratch + plan.dk + j * plan.broad);
  }
  for (int64_t i = 0; args.dq && i < chunk.count; ++i) {
    float* to = args.dq.row<float>(head.q + first + i) + head.h * D;
    const float* from = chunk.dq + i / kCols * kCols * plan.wide + i % kCols;
    for (int64_t c = 0; c < D; ++c) to[c] = a.scale * from[c * kCols];
  }
}

// to[rows, D] += left[rows, n] right[n, D], left transposed where it is stored so.
void AddProduct(ConstView left, bool transposed, ConstView right, float* packed, View to) {
  const View side = matrix_view(packed, 1, packed_size(right.rows, right.cols), 0);
  pack({.b = right, .packed = side, .k = right.rows, .n = right.cols});
  matmul({.a = left,
          .packed = side,
          .c = to,
          .m = to.rows,
          .n = right.cols,
          .k = right.rows,
          .a_transposed = transposed,
          .accumulate = true});
}

// From the gradients of the products with the slots to queries, keys and tables.
void SpreadSlots(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head,
                 const HeadData& data, const TermSums& sums, float* scratch, float* query_partial,
                 float* key_partial) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size;
  float* packed = scratch + plan.slots + plan.slot_plan.packed;
  if (data.query_slots) {
    const ConstView products =
        matrix_view(sums.query_slots, head.q_count, data.query_width, data.query_width);
    const ConstView table = head_slots(a, a.by_query, head, {data.query_first, data.query_width});
    const ConstView tokens = matrix_view(queries_of(a, head), head.q_count, D, a.q.stride);
    if (args.dq) {
      float* dq = args.dq.row<float>(head.q) + head.h * D;
      AddProduct(products, false, table, packed, matrix_view(dq, head.q_count, D, args.dq.stride));
    }
    AddProduct(products, true, tokens, packed,
               matrix_view(query_partial + data.query_first * D, data.query_width, D, D));
  }
  if (data.key_slots) {
    const ConstView products = matrix_view(sums.key_slots, head.k_count, data.key_width, data.key_width);
    const ConstView table = head_slots(a, a.by_key, head, {data.key_first, data.key_width});
    const ConstView tokens = matrix_view(keys_of(a, head), head.k_count, D, a.k.stride);
    AddProduct(products, false, table, packed, matrix_view(scratch + plan.dk, head.k_count, D, plan.broad));
    AddProduct(products, true, tokens, packed,
               matrix_view(key_partial + data.key_first * D, data.key_width, D, D));
  }
}

void RunHead(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head, int64_t group,
             float* workspace, float* scratch) {
  const AttentionArgs& a = args.forward;
  const int64_t part = group * a.heads + head.h;
  HeadData data = {.keys = scratch + plan.keys};
  TermSums sums = {};
  if (a.by_distance.table) {
    reverse_distances(a, head.h, scratch + plan.reversed);
    data.distances = scratch + plan.reversed;
    data.distance_count = a.by_distance.table.cols;
    if (args.dby_distance) sums.distances = workspace + plan.distances + part * plan.distance_size;
  }
  if (plan.slot_plan.size > 0) {
    multiply_slots(a, head, plan.slot_plan, scratch + plan.slots, data);
    std::fill_n(scratch + plan.slot_gradients, plan.slot_plan.packed, 0.0f);
    sums.query_slots = scratch + plan.slot_gradients + plan.slot_plan.by_query;
    sums.key_slots = scratch + plan.slot_gradients + plan.slot_plan.by_key;
  }
  for (int64_t first = 0; first < head.q_count; first += kChunk)
    RunChunk(args, plan, head, data, first, scratch, sums);
  SpreadSlots(args, plan, head, data, sums, scratch,
              workspace + plan.query_slots + part * plan.query_slot_size,
              workspace + plan.key_slots + part * plan.key_slot_size);
}

// One key head of one sequence, with all the heads that use it.
void RunKeyHead(const AttentionBackwardArgs& args, const BackwardPlan& plan, int64_t b, int64_t g,
                int64_t group, float* workspace) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size, shared = a.heads / a.key_heads;
  float* scratch = workspace + plan.thread + thread_index() * plan.thread_size;
  const Head head = head_of(a, b, g * shared);
  pack_keys(keys_of(a, head), a.k.stride, head.k_count, D, scratch + plan.keys);
  pack_keys(values_of(a, head), a.v.stride, head.k_count, D, scratch + plan.values);
  pack_columns(keys_of(a, head), a.k.stride, head.k_count, D, scratch + plan.columns);
  std::fill_n(scratch + plan.dk, padded(head.k_count, kRows) * plan.broad, 0.0f);
  std::fill_n(scratch + plan.dv, padded(head.k_count, kRows) * plan.broad, 0.0f);
  for (int64_t h = 0; h < shared; ++h)
    RunHead(args, plan, head_of(a, b, g * shared + h), group, workspace, scratch);
  for (int64_t j = 0; j < head.k_count; ++j) {
    if (args.dk) std::copy_n(scratch + plan.dk + j * plan.broad, D, args.dk.row<float>(head.k + j) + g * D);
    if (args.dv) std::copy_n(scratch + plan.dv + j * plan.broad, D, args.dv.row<float>(head.k + j) + g * D);
  }
}

// The partial sums of a slot table, added in the order of groups, and of heads where they share the table.
void ReduceSlots(const AttentionArgs& a, const BackwardPlan& plan, const float* partial, View to) {
  const int64_t D = a.head_size, size = to.rows * D;
  const bool shared = to.cols == D;
  parallel_for(to.rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      float* row = to.row<float>(slot);
      std::fill_n(row, to.cols, 0.0f);
      for (int64_t part = 0; part < plan.groups * a.heads; ++part) {
        const float* from = partial + part * size + slot * D;
        float* sum = row + (shared ? 0 : part % a.heads * D);
        for (int64_t c = 0; c < D; ++c) sum[c] += from[c];
      }
    }
  });
}

void Reduce(const AttentionBackwardArgs& args, const BackwardPlan& plan, const float* workspace) {
  const AttentionArgs& a = args.forward;
  if (args.dby_distance) {
    const int64_t S = args.dby_distance.cols;
    for (int64_t h = 0; h < a.heads; ++h) {
      float* row = args.dby_distance.row<float>(h);
      std::fill_n(row, S, 0.0f);
      for (int64_t group = 0; group < plan.groups; ++group) {
        const float* from = workspace + plan.distances + (group * a.heads + h) * plan.distance_size + kCols;
        for (int64_t x = 0; x < S; ++x) row[x] += from[S - 1 - x];
      }
    }
  }
  if (args.dby_query) ReduceSlots(a, plan, workspace + plan.query_slots, args.dby_query);
  if (args.dby_key) ReduceSlots(a, plan, workspace + plan.key_slots, args.dby_key);
}

int64_t BackwardWorkspace(const AttentionBackwardArgs& args) { return BackwardPlan(args.forward).size; }

void Backward(const AttentionBackwardArgs& args) {
  const AttentionArgs& a = args.forward;
  const BackwardPlan plan(a);
  float* workspace = args.workspace.as<float>();
  std::fill_n(workspace, plan.thread, 0.0f);
  // Pairs that are not seen are never visited.
  for (int64_t h = 0; args.ddense && h < a.heads; ++h)
    std::fill_n(args.ddense.row<float>(h), args.ddense.cols, 0.0f);
  const int64_t B = sequence_count(a);
  parallel_for(plan.groups * a.key_heads, 1, [&](int64_t i, int64_t) HWY_ATTR {
    const int64_t group = i / a.key_heads, g = i % a.key_heads;
    for (int64_t b = group * B / plan.groups; b < (group + 1) * B / plan.groups; ++b) {
      RunKeyHead(args, plan, b, g, group, workspace);
    }
  });
  Reduce(args, plan, workspace);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

HWY_EXPORT(BackwardWorkspace);
HWY_EXPORT(Backward);

int64_t attention_backward_workspace(const AttentionBackwardArgs& args) {
  return HWY_DYNAMIC_DISPATCH(BackwardWorkspace)(args);
}
void attention_backward(const AttentionBackwardArgs& args) { HWY_DYNAMIC_DISPATCH(Backward)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
