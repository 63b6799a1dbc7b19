// Forward pass of attention. Each panel of queries streams over blocks of keys and keeps the running maximum
// and sum of the softmax per query (Milakov, Gimelshein 2018; Dao et al. 2022).
#include <cmath>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/attention.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/attention_dropout-inl.h"
#include "locus/kernel/cpu/attention_single_query-inl.h"
#include "locus/kernel/cpu/attention_slots-inl.h"
#include "locus/kernel/cpu/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Layout of the workspace: packed k and v of all sequences and key heads, the reversed distance tables of all
// heads, the scores of single queries, then a part for every thread.
struct ForwardPlan {
  bool panels = false, single = false;  // whether any sequence needs panels, or is a single query
  int64_t keys = 0, values = 0, distances = 0, scores = 0, thread = 0, thread_size = 0;
  SlotPlan slots;
  int64_t size = 0;

  explicit ForwardPlan(const AttentionArgs& args) {
    const int64_t D = args.head_size, wide = padded(D, kRows), B = sequence_count(args);
    for (int64_t b = 0; b < B; ++b) (single_query(args, head_of(args, b, 0)) ? single : panels) = true;
    const int64_t all = args.sequences.key_positions.cols, packed = panels ? all : 0;
    values = keys + (packed + B * kRows) * args.key_heads * D;
    distances = values + packed * args.key_heads * wide;
    scores =
        distances +
        (args.by_distance.table && panels ? args.heads * (args.by_distance.table.cols + 2 * kMargin) : 0);
    thread = scores + (single ? single_query_scores(args, B, all) : 0);
    slots = SlotPlan(args);
    thread_size = std::max((D + wide + kBlockKeys) * kCols, single_query_scratch(args)) + slots.size;
    size = thread + threads() * thread_size;
  }
  // The keys of every sequence are rounded up to whole panels: at most kRows more each.
  int64_t keys_at(const AttentionArgs& args, const Head& head) const {
    return keys +
           ((head.k + head.b * kRows) * args.key_heads + head.g * (head.k_count + kRows)) * args.head_size;
  }
  int64_t values_at(const AttentionArgs& args, const Head& head) const {
    return values + (head.k * args.key_heads + head.g * head.k_count) * padded(args.head_size, kRows);
  }
};

// The running softmax state of a panel.
struct Softmax {
  Row largest, sum;
};

// Turns a block of scores into weights e^(s - largest) and adds them to the sum. Rescales the output so far
// to the new maximum.
HWY_INLINE void softmax_block(float* s, int64_t keys, Softmax& state, float* out, int64_t out_rows) {
  const F f;
  const V none = hn::Set(f, -std::numeric_limits<float>::infinity());
  for (int64_t part = 0; part < 3; ++part) {
    V& largest = part == 0 ? state.largest.x : part == 1 ? state.largest.y : state.largest.z;
    V& sum = part == 0 ? state.sum.x : part == 1 ? state.sum.y : state.sum.z;
    float* column = s + part * kLanes;
    V m0 = largest, m1 = largest, m2 = largest, m3 = largest;
    int64_t j = 0;
    for (; j + 4 <= keys; j += 4) {
      m0 = hn::Max(m0, hn::LoadU(f, column + j * kCols));
      m1 = hn::Max(m1, hn::LoadU(f, column + (j + 1) * kCols));
      m2 = hn::Max(m2, hn::LoadU(f, column + (j + 2) * kCols));
      m3 = hn::Max(m3, hn::LoadU(f, column + (j + 3) * kCols));
    }
    for (; j < keys; ++j) m0 = hn::Max(m0, hn::LoadU(f, column + j * kCols));
    const V now = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
    // No visible key yet: any finite maximum gives weights of 0, while infinity minus itself would give NaN.
    const V base = hn::IfThenElse(hn::Eq(now, none), hn::Zero(f), now);
    const V rescale = exp(f, hn::Sub(largest, base));
    V total = hn::Mul(sum, rescale);
    each_key(
        keys, [&](int64_t key) HWY_ATTR { return exp(f, hn::Sub(hn::LoadU(f, column + key * kCols), base)); },
        [&](int64_t key, V weight) HWY_ATTR {
          hn::StoreU(weight, f, column + key * kCols);
          total = hn::Add(total, weight);
        });
    for (int64_t c = 0; c < out_rows; ++c) {
      float* o = out + c * kCols + part * kLanes;
      hn::StoreU(hn::Mul(hn::LoadU(f, o), rescale), f, o);
    }
    largest = now;
    sum = total;
  }
}

// out^T[D][kCols] += v^T weights over a block of keys, of which `count` are packed and the first `keys` are
// used. If `begins`, out starts from zero.
HWY_INLINE void add_values(const float* values, int64_t count, const float* weights, int64_t keys,
                           int64_t wide, float* out, bool begins) {
  tiles<kRows>({.a = values,
                .b = weights,
                .depth = keys,
                .c = out,
                .stride = kCols,
                .from = begins ? nullptr : out,
                .from_stride = kCols,
                .count = wide / kRows,
                .a_step = kRows * count});
}

// Stores the output rows of a panel: out^T[D][kCols] divided by the sums. Overwrites `out`.
void StorePanel(const AttentionArgs& args, const Head& head, const Panel& panel, const Softmax& state,
                float* out) {
  HWY_ALIGN float sum[kCols];
  HWY_ALIGN float factor[kCols];
  store_row(state.sum, sum);
  for (int64_t lane = 0; lane < kCols; ++lane) factor[lane] = sum[lane] == 0 ? 0 : 1 / sum[lane];
  const Row factors = load_row(factor);
  const int64_t D = args.head_size;
  for (int64_t c = 0; c < D; ++c) {
    const Row row = load_row(out + c * kCols);
    store_row({hn::Mul(row.x, factors.x), hn::Mul(row.y, factors.y), hn::Mul(row.z, factors.z)},
              out + c * kCols);
  }
  transpose({.from = out,
             .stride = kCols,
             .rows = D,
             .cols = panel.count,
             .to = args.out.row<float>(head.q + panel.first) + head.h * D,
             .to_stride = args.out.stride});
  if (!args.lse) return;
  HWY_ALIGN float largest[kCols];
  store_row(state.largest, largest);
  for (int64_t lane = 0; lane < panel.count; ++lane) {
    args.lse.row<float>(head.q + panel.first + lane)[head.h] = largest[lane] + std::log(sum[lane]);
  }
}

// Also prefetches the queries of the next panel, which this thread is likely to process next.
void RunPanel(const AttentionArgs& args, const Head& head, const HeadData& data, const float* values,
              int64_t first, float* scratch) {
  const F f;
  const int64_t D = args.head_size, wide = padded(D, kRows);
  float* q = scratch;
  float* out = q + D * kCols;
  float* s = out + wide * kCols;
  const Panel panel = {first, std::min(kCols, head.q_count - first), q};
  pack_panel(queries_of(args, head) + first * args.q.stride, args.q.stride, panel.count, D, args.scale, q);
  for (int64_t i = first + kCols; i < std::min(first + 2 * kCols, head.q_count); ++i) {
    prefetch_strip(queries_of(args, head) + i * args.q.stride, D);
  }
  const V none = hn::Set(f, -std::numeric_limits<float>::infinity());
  Softmax state = {{none, none, none}, zero_row()};
  const KeyRange range = keys_of(args, head, panel);
  if (range.begin >= range.end) std::fill_n(out, wide * kCols, 0.0f);
  for (int64_t j = range.begin; j < range.end; j += kBlockKeys) {
    const int64_t packed = std::min(kBlockKeys, head.k_count - j), keys = std::min(packed, range.end - j);
    score_block(args, head, data, panel, j, keys, s);
    const bool begins = j == range.begin;
    softmax_block(s, keys, state, out, begins ? 0 : D);
    if (args.dropout > 0) DropoutMask(args, head, panel, j, keys).apply(s, keys);
    add_values(values + j * wide, packed, s, keys, wide, out, begins);
  }
  StorePanel(args, head, panel, state, out);
}

void PackAll(const AttentionArgs& args, const ForwardPlan& plan, float* workspace) {
  const int64_t B = sequence_count(args), D = args.head_size;
  parallel_for(B * args.key_heads, 1, [&](int64_t i, int64_t) HWY_ATTR {
    const Head head = head_of(args, i / args.key_heads, i % args.key_heads * (args.heads / args.key_heads));
    if (single_query(args, head)) return;
    pack_keys_of(args, head, 0, head.k_count, workspace + plan.keys_at(args, head));
    float* values = workspace + plan.values_at(args, head);
    if (args.rooms.empty()) {
      pack_columns(values_of(args, head), args.v.stride, head.k_count, D, values);
    } else {
      const RoomHead room = room_of(args, head);
      pack_columns(room.values, room.value_stride, head.k_count, D, values);
    }
  });
  for (int64_t h = 0; args.by_distance.table && h < args.heads; ++h) {
    reverse_distances(args, h, workspace + plan.distances + h * (args.by_distance.table.cols + 2 * kMargin));
  }
}

int64_t Workspace(const AttentionArgs& args) { return ForwardPlan(args).size; }

// All sequences but those of a single query.
void RunPanels(const AttentionArgs& args, const ForwardPlan& plan, float* workspace) {
  PackAll(args, plan, workspace);
  const int64_t panels = divide_up(longest_queries(args), kCols);
  // The slot products are computed for a whole head, so all panels of the head run in one task.
  const bool whole = plan.slots.size > 0;
  const int64_t pieces = whole ? 1 : panels;
  parallel_for(sequence_count(args) * args.heads * pieces, 1, [&](int64_t i, int64_t) HWY_ATTR {
    const int64_t rest = i / pieces;
    const Head head = head_of(args, rest / args.heads, rest % args.heads);
    float* scratch = workspace + plan.thread + thread_index() * plan.thread_size;
    HeadData data = {.keys = workspace + plan.keys_at(args, head)};
    if (args.by_distance.table) {
      data.distance_count = args.by_distance.table.cols;
      data.distances = workspace + plan.distances + head.h * (data.distance_count + 2 * kMargin);
    }
    if (single_query(args, head)) return;
    if (whole) multiply_slots(args, head, plan.slots, scratch + plan.thread_size - plan.slots.size, data);
    const int64_t begin = whole ? 0 : i % pieces * kCols, end = whole ? head.q_count : begin + kCols;
    for (int64_t first = begin; first < std::min(end, head.q_count); first += kCols) {
      RunPanel(args, head, data, workspace + plan.values_at(args, head), first, scratch);
    }
  });
}

void Attention(const AttentionArgs& args) {
  const ForwardPlan plan(args);
  float* workspace = args.workspace.as<float>();
  if (plan.panels) RunPanels(args, plan, workspace);
  if (plan.single) {
    RunSingleQueries(args, {workspace + plan.scores, workspace + plan.thread, plan.thread_size});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(Workspace);
LOCUS_EXPORT(Attention);

int64_t attention_workspace(const AttentionArgs& args) { return LOCUS_DISPATCH(Workspace)(args); }
void attention(const AttentionArgs& args) { LOCUS_DISPATCH(Attention)(args); }

}  // namespace locus::kernel::cpu
#endif  // HWY_ONCE
