// Backward pass of attention. The weights are recomputed from the scores and the stored log-sums, for one
// chunk of queries and one block of keys at a time. A task owns one key head of one group of sequences,
// processes them in order and adds the table gradients to its own partial sums. The partial sums are then
// added group by group, so every sum has a fixed order.
#include <optional>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/attention_backward.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "locus/kernel/cpu/attention_chunk-inl.h"
#include "locus/kernel/cpu/attention_dropout-inl.h"
#include "locus/kernel/cpu/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// The contribution of a panel of queries and a block of keys: weights and score gradients as right sides, and
// the gradient of the queries.
void RunPanelBlock(const AttentionBackwardArgs& args, const BackwardPlan& plan, const Head& head,
                   const HeadData& data, const Chunk& chunk, int64_t lane, int64_t first, int64_t keys,
                   const float* scratch, const TermSums& sums) {
  const AttentionArgs& a = args.forward;
  const int64_t D = a.head_size;
  const Panel panel = {chunk.first + lane, std::clamp<int64_t>(chunk.count - lane, 0, kCols),
                       chunk.q + lane * D};
  score_block(a, head, data, panel, first, keys, chunk.s);
  tiles<kRows>({.a = scratch + plan.values + first * D,
                .b = chunk.dout + lane * D,
                .depth = D,
                .c = chunk.ds,
                .stride = kCols,
                .count = divide_up(keys, kRows),
                .a_step = kRows * D});
  std::optional<DropoutMask> dropout_mask;
  if (a.dropout > 0) dropout_mask.emplace(a, head, panel, first, keys);
  if (dropout_mask) dropout_mask->apply(chunk.ds, keys);
  if (a.cap > 0) {
    differentiate_capped(chunk, lane, keys, a.cap);
  } else {
    differentiate<false>(chunk, lane, keys, 0);
  }
  if (dropout_mask) dropout_mask->apply(chunk.s, keys);
  if (sums.distances) add_distance_gradient(a, head, panel, first, keys, chunk.ds, sums.distances);
  if (data.by_query.rows || data.by_key.rows)
    add_slot_gradient(a, head, data, panel, first, keys, chunk.ds, sums);
  for (int64_t i = 0; args.ddense && i < panel.count; ++i) {
    float* dense = args.ddense.row<float>(head.h) + head.pair + (panel.first + i) * head.k_count + first;
    for (int64_t j = 0; j < keys; ++j) dense[j] = chunk.ds[j * kCols + i];
  }
  const int64_t packed = std::min(kBlockKeys, head.k_count - first);
  float* dq = chunk.dq + lane * plan.wide;
  tiles<kRows>({.a = scratch + plan.columns + first * plan.wide,
                .b = chunk.ds,
                .depth = keys,
                .c = dq,
                .stride = kCols,
                .from = dq,
                .from_stride = kCols,
                .count = plan.wide / kRows,
                .a_step = kRows * packed});
  for (int64_t j = 0; j < keys; j += kCols) {
    const auto transpose_block = [&](const float* block, float* to) HWY_ATTR {
      transpose({.from = block + j * kCols,
                 .stride = kCols,
                 .rows = kCols,
                 .cols = kCols,
                 .to = to + j * kChunk + lane * kCols,
                 .to_stride = kCols});
    };
    transpose_block(chunk.s, chunk.weights);
    transpose_block(chunk.ds, chunk.dscores);
  }
}

// Panels of keys, [wide][kCols] each, += rows^T right, summed over the queries of the chunk. Keys are the
// lanes and D runs down the tile, because head sizes are multiples of kRows more often than of kCols.
HWY_INLINE void add_over_queries(const float* rows, const float* right, int64_t queries, int64_t keys,
                                 int64_t wide, float* to) {
  for (int64_t j = 0; j < keys; j += kCols) {
    float* sums = to + j * wide;
    tiles<kRows>({.a = rows,
                  .b = right + j * kChunk,
                  .depth = queries,
                  .c = sums,
                  .stride = kCols,
                  .from = sums,
                  .from_stride = kCols,
                  .count = wide / kRows,
                  .a_step = kRows * kChunk});
  }
}

// Stores panels [wide][kCols] as rows of tokens.
void StorePanels(const float* panels, int64_t wide, int64_t tokens, int64_t D, float* to, int64_t stride) {
  for (int64_t first = 0; first < tokens; first += kCols) {
    transpose({.from = panels + first * wide,
               .stride = kCols,
               .rows = D,
               .cols = std::min(kCols, tokens - first),
               .to = to + first * stride,
               .to_stride = stride});
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
    add_over_queries(chunk.dout_rows, chunk.weights, queries, keys, plan.wide,
                     scratch + plan.dv + j * plan.wide);
    add_over_queries(chunk.q_rows, chunk.dscores, queries, keys, plan.wide,
                     scratch + plan.dk + j * plan.wide);
  }
  if (!args.dq) return;
  scale_into(chunk.dq, chunk.dq, queries * plan.wide, a.scale);
  StorePanels(chunk.dq, plan.wide, chunk.count, D, args.dq.row<float>(head.q + first) + head.h * D,
              args.dq.stride);
}

// to[rows, D] += left[rows, n] right[n, D]; left is stored transposed if `transposed`.
void AddProduct(ConstView left, bool transposed, ConstView right, float* packed, View to) {
  const View side = matrix_view(packed, 1, packed_size(right.rows, right.cols, DType::f32), 0);
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

// Propagates the gradients of the slot products of a term to its tokens and to the head's partial sum of the
// table.
void PropagateTerm(const AttentionArgs& a, const SlotViews& term, const Head& head,
                   const SlotProducts& products, const float* gradients, ConstView tokens, View dtokens,
                   float* packed, float* partial) {
  if (!products.rows) return;
  const ConstView left = matrix_view(gradients, tokens.rows, products.width, products.stride);
  if (dtokens) {
    AddProduct(left, false, head_slots(a, term, head, {products.first, products.width}), packed, dtokens);
  }
  AddProduct(left, true, tokens, packed,
             matrix_view(partial + products.first * a.head_size, products.width, a.head_size, a.head_size));
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
  float* packed = scratch + plan.slots + plan.slot_plan.packed;
  float* dq = args.dq ? args.dq.row<float>(head.q) + head.h * a.head_size : nullptr;
  PropagateTerm(a, a.by_query, head, data.by_query, sums.query_slots, query_rows(a, head),
                matrix_view(dq, head.q_count, a.head_size, args.dq.stride), packed,
                workspace + plan.query_slots + part * plan.query_slot_size);
  PropagateTerm(a, a.by_key, head, data.by_key, sums.key_slots, key_rows(a, head),
                matrix_view(scratch + plan.dk_slots, head.k_count, a.head_size, a.head_size), packed,
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
  std::fill_n(scratch + plan.dk, padded(head.k_count, kCols) * plan.wide, 0.0f);
  std::fill_n(scratch + plan.dv, padded(head.k_count, kCols) * plan.wide, 0.0f);
  if (a.by_key.table) std::fill_n(scratch + plan.dk_slots, head.k_count * D, 0.0f);
  for (int64_t h = 0; h < shared; ++h)
    RunHead(args, plan, head_of(a, b, g * shared + h), group, workspace, scratch);
  const auto store = [&](const float* panels, View to) HWY_ATTR {
    if (to) StorePanels(panels, plan.wide, head.k_count, D, to.row<float>(head.k) + g * D, to.stride);
  };
  store(scratch + plan.dk, args.dk);
  store(scratch + plan.dv, args.dv);
  for (int64_t j = 0; args.dk && a.by_key.table && j < head.k_count; ++j) {
    add_row(args.dk.row<float>(head.k + j) + g * D, scratch + plan.dk_slots + j * D, D);
  }
}

// Adds the partial sums of a slot table in the order of groups, and of heads if they share the table.
void ReduceSlots(const AttentionArgs& a, const BackwardPlan& plan, const float* partial, View to) {
  const int64_t D = a.head_size, size = to.rows * D;
  const bool shared = to.cols == D;
  parallel_for(to.rows, 16, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t slot = begin; slot < end; ++slot) {
      float* row = to.row<float>(slot);
      std::fill_n(row, to.cols, 0.0f);
      for (int64_t part = 0; part < plan.groups * a.heads; ++part) {
        add_row(row + (shared ? 0 : part % a.heads * D), partial + part * size + slot * D, D);
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
        const float* from = workspace + plan.distances + (group * a.heads + h) * plan.distance_size + kMargin;
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
  // Hidden pairs are never visited, so their gradients must be cleared.
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

LOCUS_EXPORT(BackwardWorkspace);
LOCUS_EXPORT(Backward);

int64_t attention_backward_workspace(const AttentionBackwardArgs& args) {
  return LOCUS_DISPATCH(BackwardWorkspace)(args);
}
void attention_backward(const AttentionBackwardArgs& args) { LOCUS_DISPATCH(Backward)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
