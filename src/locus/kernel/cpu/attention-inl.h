// What both passes of attention share, per SIMD target: how work and workspace are laid out, and the scores
// of a block.
//
// Scores are computed transposed: a panel is kCols queries side by side in vectors, and a block of scores is
// [keys][kCols]. So the softmax runs down the columns without sums across lanes, the block is at once the
// packed right side of the product with v, and the bias of a key row is one contiguous piece of by_distance
// read backwards.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/attention.h"
#include "locus/kernel/cpu/attention_heads.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/dropout-inl.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/pack-inl.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Keys worked on at once: a block of scores, with the parts of k and v it meets, stays near.
inline constexpr int64_t kBlockKeys = kCols <= 24 ? 256 : 128;
static_assert(kBlockKeys % kRows == 0);

// Around a table of distances: lanes past the last query, and keys past the last one, meet nothing there.
inline constexpr int64_t kMargin = kCols + kRows;

HWY_INLINE int64_t padded(int64_t size, int64_t unit) { return divide_up(size, unit) * unit; }

// k, or v, as rows of the tile's left side: panels of kRows keys, each kRows * D floats.
HWY_INLINE void pack_keys(const float* from, int64_t stride, int64_t keys, int64_t D, float* out) {
  for (int64_t j = 0; j < keys; j += kRows, out += kRows * D) {
    const int64_t rows = std::min(kRows, keys - j);
    for (int64_t group = 0; group < kRows; group += 4) {
      static constexpr float kZeros[kMaxHeadSize] = {};
      const float* four[4];
      for (int64_t r = 0; r < 4; ++r) four[r] = group + r < rows ? from + (j + group + r) * stride : kZeros;
      interleave_rows(four, D, out + group * D);
    }
  }
}

// v, or k, transposed as rows of the left side: for each block of keys, panels of kRows columns as groups
// [keys][4].
HWY_INLINE void pack_columns(const float* from, int64_t stride, int64_t keys, int64_t D, float* out) {
  const int64_t wide = padded(D, kRows);
  for (int64_t j = 0; j < keys; j += kBlockKeys) {
    const int64_t count = std::min(kBlockKeys, keys - j);
    for (int64_t c = 0; c < wide; c += 4, out += 4 * count) {
      const int64_t valid = std::clamp<int64_t>(D - c, 0, 4);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t r = 0; r < 4; ++r) out[4 * i + r] = r < valid ? from[(j + i) * stride + c + r] : 0;
      }
    }
  }
}

// Rows of tokens as a panel of the right side: out[c][lane] = factor * from[lane][c], zero past `count`
// lanes.
HWY_INLINE void pack_panel(const float* from, int64_t stride, int64_t count, int64_t D, float factor,
                           float* out) {
  for (int64_t c = 0; c < D; ++c) {
    for (int64_t lane = 0; lane < kCols; ++lane) {
      out[c * kCols + lane] = lane < count ? factor * from[lane * stride + c] : 0;
    }
  }
}

// The packed copies of k and v that the queries of a head look at, and what the terms need beside them.
struct HeadData {
  const float* keys;         // pack_keys of k
  const float* distances;    // by_distance of this head, backwards, with kMargin zeros on both sides; or null
  int64_t distance_count;    // S
  const float* query_slots;  // [queries][slots]: q . by_query, unscaled; or null
  const float* key_slots;    // [keys][slots]: k . by_key; or null
  int64_t query_first, query_width;  // the first slot in query_slots and the length of its rows
  int64_t key_first, key_width;
};

// kCols queries of a head.
struct Panel {
  int64_t first, count;  // of the head's queries
  const float* q;        // pack_panel of the scaled queries
};

// Walks the pairs of a panel and a block of keys, key by key, as slots are looked up: f(j, lane, slot in
// by_query, slot in by_key), a term that is absent giving 0. Causal, only the pairs that are seen: the slots
// may end there.
template <class F>
HWY_INLINE void each_slot(const AttentionArgs& args, const Head& head, const Panel& panel, int64_t first,
                          int64_t keys, F f) {
  const int32_t* q_at = args.sequences.query_positions.as<int32_t>() + head.q + panel.first;
  const int32_t* k_at = args.sequences.key_positions.as<int32_t>() + head.k + first;
  static constexpr int32_t kNone = 0;
  const bool by_query = static_cast<bool>(args.by_query.table), by_key = static_cast<bool>(args.by_key.table);
  const int32_t* q_slots = by_query ? args.by_query.slots.as<int32_t>() + args.by_query.zero : &kNone;
  const int32_t* k_slots = by_key ? args.by_key.slots.as<int32_t>() + args.by_key.zero : &kNone;
  const int64_t shift = head.k_count - head.q_count;
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t from = args.causal ? std::max<int64_t>(0, first + j - shift - panel.first) : 0;
    for (int64_t lane = from; lane < panel.count; ++lane) {
      const int64_t d = k_at[j] - q_at[lane];
      f(j, lane, by_query ? q_slots[d] : 0, by_key ? k_slots[d] : 0);
    }
  }
}

// s[key][lane] += the slot terms
HWY_INLINE void add_slots(const AttentionArgs& args, const Head& head, const HeadData& data,
                          const Panel& panel, int64_t first, int64_t keys, float* s) {
  const float* q_rows = data.query_slots + panel.first * data.query_width - data.query_first;
  const float* k_rows = data.key_slots + first * data.key_width - data.key_first;
  const bool by_query = data.query_slots != nullptr, by_key = data.key_slots != nullptr;
  each_slot(args, head, panel, first, keys,
            [&](int64_t j, int64_t lane, int64_t q_slot, int64_t k_slot) HWY_ATTR {
              const float to_query = by_query ? q_rows[lane * data.query_width + q_slot] : 0;
              const float to_key = by_key ? k_rows[j * data.key_width + k_slot] : 0;
              s[j * kCols + lane] += args.scale * (to_query + to_key);
            });
}

// Where distance 0 stands in a head's reversed by_distance: element q - k behind it belongs to a pair.
HWY_INLINE const float* distance_zero(const AttentionArgs& args, const HeadData& data) {
  return data.distances + kMargin + data.distance_count - 1 - args.by_distance.zero;
}

// Keys a query may not see get a score of minus infinity.
HWY_INLINE void mask(const AttentionArgs& args, const Head& head, const Panel& panel, int64_t first,
                     int64_t keys, float* s) {
  const F f;
  const V hidden = hn::Set(f, -std::numeric_limits<float>::infinity());
  const int64_t shift = head.k_count - head.q_count;
  for (int64_t j = 0; j < keys; ++j, s += kCols) {
    // Lane i stands at query panel.first + i and sees the keys up to its own number + shift.
    const int64_t from = first + j - shift - panel.first;
    const int64_t to = args.window > 0 ? from + args.window : panel.count;
    if (from <= 0 && to >= panel.count) continue;
    const V low = hn::Set(f, static_cast<float>(from)), high = hn::Set(f, static_cast<float>(to));
    for (int64_t i = 0; i < kCols; i += kLanes) {
      const V lane = hn::Iota(f, static_cast<float>(i));
      const auto seen = hn::And(hn::Ge(lane, low), hn::Lt(lane, high));
      hn::StoreU(hn::IfThenElse(seen, hn::LoadU(f, s + i), hidden), f, s + i);
    }
  }
}

// The scores of `keys` keys from `first` (a multiple of kBlockKeys) with a panel's queries: s[key][kCols]. s
// has room for a multiple of kRows keys.
HWY_INLINE void score_block(const AttentionArgs& args, const Head& head, const HeadData& data,
                            const Panel& panel, int64_t first, int64_t keys, float* s) {
  const int64_t D = args.head_size;
  const int32_t* q_at = args.sequences.query_positions.as<int32_t>() + head.q + panel.first;
  const int32_t* k_at = args.sequences.key_positions.as<int32_t>() + head.k + first;
  // Positions that rise by one make by_distance a contiguous piece for every key, one further back for the
  // next: the sums start from it.
  const bool pieces = data.distances && args.sequences.steady;
  for (int64_t j = 0; j < keys; j += kRows) {
    tile<kRows>({.a = data.keys + (first + j) * D,
                 .group = 4 * D,
                 .b = panel.q,
                 .depth = D,
                 .c = s + j * kCols,
                 .stride = kCols,
                 .from = pieces ? distance_zero(args, data) + q_at[0] - k_at[j] : nullptr,
                 .from_stride = -1});
  }
  for (int64_t j = 0; data.distances && !pieces && j < keys; ++j) {
    const float* table = distance_zero(args, data);
    for (int64_t lane = 0; lane < panel.count; ++lane) s[j * kCols + lane] += table[q_at[lane] - k_at[j]];
  }
  if (data.query_slots || data.key_slots) add_slots(args, head, data, panel, first, keys, s);
  if (args.dense) {
    const float* dense = args.dense.row<float>(head.h) + head.pair + panel.first * head.k_count + first;
    for (int64_t lane = 0; lane < panel.count; ++lane, dense += head.k_count) {
      for (int64_t j = 0; j < keys; ++j) s[j * kCols + lane] += dense[j];
    }
  }
  if (args.causal) mask(args, head, panel, first, keys, s);
}

// The range of keys any query of the panel sees, the start rounded down to whole blocks.
struct KeyRange {
  int64_t begin, end;
};
HWY_INLINE KeyRange keys_of(const AttentionArgs& args, const Head& head, const Panel& panel) {
  if (!args.causal) return {0, head.k_count};
  const int64_t shift = head.k_count - head.q_count;
  const int64_t begin = args.window > 0 ? std::max<int64_t>(0, panel.first + shift - args.window + 1) : 0;
  return {begin / kBlockKeys * kBlockKeys, std::min(head.k_count, panel.first + panel.count + shift)};
}

// Multiplies the weights of a panel by what dropout leaves of them.
HWY_INLINE void drop_weights(const AttentionArgs& args, const Head& head, const Panel& panel, int64_t first,
                             int64_t keys, float* s) {
  if (args.dropout == 0) return;
  const Dropper dropper(args.dropout, args.seed, args.stream);
  for (int64_t lane = 0; lane < panel.count; ++lane) {
    const int64_t row = head.h * args.q.rows + head.q + panel.first + lane;
    each_run(dropper, row * args.longest + first, keys,
             [&](int64_t begin, int64_t count, const uint16_t* halves) HWY_ATTR {
               float* weights = s + begin * kCols + lane;
               for (int64_t j = 0; j < count; ++j) {
                 weights[j * kCols] *= halves[j] < dropper.threshold ? 0 : dropper.scale;
               }
             });
  }
}

// by_distance of one head backwards, with zeros around it for the lanes past the last query.
HWY_INLINE void reverse_distances(const AttentionArgs& args, int64_t h, float* out) {
  const int64_t S = args.by_distance.table.cols;
  const float* row = args.by_distance.table.row<float>(h);
  std::fill_n(out, kMargin, 0.0f);
  std::reverse_copy(row, row + S, out + kMargin);
  std::fill_n(out + kMargin + S, kMargin, 0.0f);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
