// Shared by the forward and backward pass of attention, per SIMD target: the layout of work and workspace,
// and the scores of a block.
//
// Scores are computed transposed. A panel is kCols queries, one per lane, and a block of scores is
// [keys][kCols]. So the softmax runs down the columns without sums across lanes, the block is already the
// packed right side of the product with v, and the bias of a key row is one contiguous piece of the reversed
// by_distance.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "hwy/highway.h"
#include "locus/base/checked.h"
#include "locus/base/parallel.h"
#include "locus/kernel/attention.h"
#include "locus/kernel/cpu/attention_heads.h"
#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/math-inl.h"
#include "locus/kernel/cpu/pack-inl.h"
#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Keys per block. A block of scores (25 KB), with the k and v it is multiplied with, stays in the cache.
inline constexpr int64_t kBlockKeys = kCols <= 12 ? 528 : kCols <= 24 ? 264 : 144;
static_assert(kBlockKeys % kRows == 0 && kBlockKeys % kCols == 0);

// Zeros around a table of distances, for lanes past the last query and keys past the last key.
inline constexpr int64_t kMargin = kCols + kRows;

HWY_INLINE int64_t padded(int64_t size, int64_t unit) { return divide_up(size, unit) * unit; }

// Number of keys whose exponentials are computed interleaved, to hide the latency of a single one.
inline constexpr int64_t kInterleavedKeys = HWY_TARGET == HWY_NEON ? 8 : 4;

// Runs store(key, compute(key)) for every key of a block. kInterleavedKeys keys are computed before any of
// them is stored.
template <class Compute, class Store>
HWY_INLINE void each_key(int64_t keys, Compute compute, Store store) {
  const auto interleave = [&]<size_t... i>(int64_t key, std::index_sequence<i...>) HWY_ATTR {
    const V values[] = {compute(key + static_cast<int64_t>(i))...};
    (store(key + static_cast<int64_t>(i), values[i]), ...);
  };
  int64_t key = 0;
  for (; key + kInterleavedKeys <= keys; key += kInterleavedKeys)
    interleave(key, std::make_index_sequence<kInterleavedKeys>());
  for (; key < keys; ++key) store(key, compute(key));
}

// to[i] = factor * from[i]; to may be from
HWY_INLINE void scale_into(float* to, const float* from, int64_t n, float factor) {
  sweep_into(to, n,
             [&](auto d, int64_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, from + i), hn::Set(d, factor)); });
}

// Packs k or v as rows of the left side of a tile: panels of kRows keys, each [D][kRows].
HWY_INLINE void pack_keys(const float* from, int64_t stride, int64_t keys, int64_t D, float* out) {
  for (int64_t j = 0; j < keys; j += kRows, out += kRows * D) {
    transpose_padded({.from = from + j * stride,
                      .stride = stride,
                      .rows = std::min(kRows, keys - j),
                      .cols = D,
                      .to = out,
                      .to_stride = kRows},
                     kRows);
  }
}

// The same for `keys` keys from `first`, a multiple of kRows, of a room.
HWY_INLINE void pack_room_keys(const float* room, int64_t first, int64_t keys, int64_t D, float* out) {
  static_assert(kRoomBlock % kRows == 0);
  for (int64_t j = first; j < first + keys; j += kRows, out += kRows * D) {
    const float* block = room + j / kRoomBlock * kRoomBlock * D + j % kRoomBlock;
    copy_padded<kRows>(block, kRoomBlock, D, std::min(kRows, first + keys - j), out);
  }
}

// Packs v or k transposed, as rows of the left side: for each block of keys, panels of kRows columns, each
// [keys][kRows].
HWY_INLINE void pack_columns(const float* from, int64_t stride, int64_t keys, int64_t D, float* out) {
  for (int64_t j = 0; j < keys; j += kBlockKeys) {
    const int64_t count = std::min(kBlockKeys, keys - j);
    for (int64_t c = 0; c < D; c += kRows, out += kRows * count) {
      copy_padded<kRows>(from + j * stride + c, stride, count, std::min(kRows, D - c), out);
    }
  }
}

// Packs rows of tokens as a panel of the right side: out[c][lane] = factor * from[lane][c], zero for lanes
// from `count` on.
HWY_INLINE void pack_panel(const float* from, int64_t stride, int64_t count, int64_t D, float factor,
                           float* out) {
  transpose_padded({.from = from, .stride = stride, .rows = count, .cols = D, .to = out, .to_stride = kCols},
                   kCols);
  scale_into(out, out, D * kCols, factor);
}

// The products of a head with a slot table, queries . by_query or keys . by_key, unscaled, for the slots that
// its distances use.
struct SlotProducts {
  const float* rows = nullptr;  // [tokens][width], rows `stride` apart; null without this term
  int64_t first = 0, width = 0, stride = 0;
};

// Row stride of slot products: whole tiles, and an odd number of cache lines. Otherwise the rows of a tile,
// and the rows that the lanes of a panel read, would map to few sets of the cache.
inline int64_t slot_stride(int64_t width) { return (divide_up(padded(width, kCols), 16) | 1) * 16; }

// The packed copies of k and v that the queries of a head attend to, and the data of the score terms.
struct HeadData {
  const float* keys;       // pack_keys of k
  const float* distances;  // by_distance of this head, reversed, with kMargin zeros on both sides; or null
  int64_t distance_count;  // S
  SlotProducts by_query, by_key;
};

// pack_keys of `count` keys of a head from `first`, a multiple of kRows.
HWY_INLINE void pack_keys_of(const AttentionArgs& args, const Head& head, int64_t first, int64_t count,
                             float* out) {
  if (args.rooms.empty()) {
    pack_keys(keys_of(args, head) + first * args.k.stride, args.k.stride, count, args.head_size, out);
  } else {
    pack_room_keys(room_of(args, head).keys, first, count, args.head_size, out);
  }
}

// kCols queries of a head.
struct Panel {
  int64_t first, count;  // a range of the queries of the head
  const float* q;        // pack_panel of the scaled queries
};

// Looks up the slots of one term for the pairs of a panel and a block of keys. If causal, only for the
// visible pairs: the slot table may not cover the others.
struct SlotLookup {
  const int32_t *q_at, *k_at, *slots;
  int64_t first_seen;  // the first lane that sees key 0

  SlotLookup(const AttentionArgs& args, const SlotViews& term, const Head& head, const Panel& panel,
             int64_t first)
      : q_at(args.sequences.query_positions.as<int32_t>() + head.q + panel.first),
        k_at(args.sequences.key_positions.as<int32_t>() + head.k + first),
        slots(term.table ? term.slots.as<int32_t>() + term.zero : nullptr),
        first_seen(args.causal ? first - (head.k_count - head.q_count) - panel.first : -head.k_count) {}

  HWY_INLINE int64_t first_lane(int64_t j) const { return std::max<int64_t>(0, first_seen + j); }
  HWY_INLINE int64_t slot(int64_t j, int64_t lane) const { return slots[k_at[j] - q_at[lane]]; }
};

// s[key][lane] += the slot terms (one or both). With contiguous positions the slots of neighboring lanes are
// adjacent, and one lookup serves both terms if they share the slots.
template <bool kByQuery, bool kByKey>
HWY_INLINE void add_slots(const AttentionArgs& args, const Head& head, const HeadData& data,
                          const Panel& panel, int64_t first, int64_t keys, float* s) {
  const SlotLookup q(args, args.by_query, head, panel, first), k(args, args.by_key, head, panel, first);
  const SlotProducts &by_query = data.by_query, &by_key = data.by_key;
  const float* q_rows = by_query.rows + panel.first * by_query.stride - by_query.first;
  const float* k_row = by_key.rows + first * by_key.stride - by_key.first;
  const float scale = args.scale;
  const bool one_lookup = args.sequences.contiguous && (!kByQuery || !kByKey || q.slots == k.slots);
  for (int64_t j = 0; j < keys; ++j, s += kCols, k_row += by_key.stride) {
    const auto add = [&](int64_t lane, int64_t q_slot, int64_t k_slot) {
      float product = 0;
      if constexpr (kByQuery) product = q_rows[lane * by_query.stride + q_slot];
      if constexpr (kByKey) product += k_row[k_slot];
      s[lane] += scale * product;
    };
    const int32_t* slots = (kByQuery ? q : k).slots + (q.k_at[j] - q.q_at[0]);
    for (int64_t lane = q.first_lane(j); lane < panel.count; ++lane) {
      if (one_lookup) {
        add(lane, slots[-lane], slots[-lane]);
      } else {
        add(lane, kByQuery ? q.slot(j, lane) : 0, kByKey ? k.slot(j, lane) : 0);
      }
    }
  }
}

// Address of distance 0 in the reversed by_distance of a head: the element q - k after it belongs to the pair
// (q, k).
HWY_INLINE const float* distance_zero(const AttentionArgs& args, const HeadData& data) {
  return data.distances + kMargin + data.distance_count - 1 - args.by_distance.zero;
}

// c tanh(s / c) of every score except -infinity. Not inlined, because its constants would take registers from
// the caller: attention without a cap was 10 % slower.
HWY_NOINLINE inline void cap_scores(float* s, int64_t n, float cap) {
  sweep_into(s, n, [&](auto d, int64_t i) HWY_ATTR {
    const auto score = hn::LoadU(d, s + i);
    const auto bent = hn::Mul(hn::Set(d, cap), tanh(d, hn::Mul(score, hn::Set(d, 1 / cap))));
    return hn::IfThenElse(hn::Eq(score, hn::Set(d, -std::numeric_limits<float>::infinity())), score, bent);
  });
}

// Sets the scores of hidden keys to -infinity.
HWY_INLINE void mask(const AttentionArgs& args, const Head& head, const Panel& panel, int64_t first,
                     int64_t keys, float* s) {
  const F f;
  const V hidden = hn::Set(f, -std::numeric_limits<float>::infinity());
  const int64_t shift = head.k_count - head.q_count;
  for (int64_t j = 0; j < keys; ++j, s += kCols) {
    // `own` is the lane at the position of the key. A causal key is visible from there on; with a window it
    // is visible up to the window size around it.
    const int64_t own = first + j - shift - panel.first;
    const int64_t from = args.causal ? own : own - args.window + 1;
    const int64_t to = args.window > 0 ? own + args.window : panel.count;
    if (from <= 0 && to >= panel.count) continue;
    const V low = hn::Set(f, static_cast<float>(from)), high = hn::Set(f, static_cast<float>(to));
    for (int64_t i = 0; i < kCols; i += kLanes) {
      const V lane = hn::Iota(f, static_cast<float>(i));
      const auto visible = hn::And(hn::Ge(lane, low), hn::Lt(lane, high));
      hn::StoreU(hn::IfThenElse(visible, hn::LoadU(f, s + i), hidden), f, s + i);
    }
  }
}

// The scores of `keys` keys from `first` (a multiple of kBlockKeys) with the queries of a panel:
// s[key][kCols]. s has room for a multiple of kRows keys.
HWY_INLINE void score_block(const AttentionArgs& args, const Head& head, const HeadData& data,
                            const Panel& panel, int64_t first, int64_t keys, float* s) {
  const int64_t D = args.head_size;
  const int32_t* q_at = args.sequences.query_positions.as<int32_t>() + head.q + panel.first;
  const int32_t* k_at = args.sequences.key_positions.as<int32_t>() + head.k + first;
  // With contiguous positions, the bias of each key is a contiguous piece of by_distance, one element further
  // back for the next key. The sums start from it.
  const bool pieces = data.distances && args.sequences.contiguous;
  tiles<kRows>({.a = data.keys + first * D,
                .b = panel.q,
                .depth = D,
                .c = s,
                .stride = kCols,
                .from = pieces ? distance_zero(args, data) + q_at[0] - k_at[0] : nullptr,
                .from_stride = -1,
                .count = divide_up(keys, kRows),
                .a_step = kRows * D});
  for (int64_t j = 0; data.distances && !pieces && j < keys; ++j) {
    const float* table = distance_zero(args, data);
    for (int64_t lane = 0; lane < panel.count; ++lane) s[j * kCols + lane] += table[q_at[lane] - k_at[j]];
  }
  if (data.by_query.rows && data.by_key.rows) {
    add_slots<true, true>(args, head, data, panel, first, keys, s);
  } else if (data.by_query.rows) {
    add_slots<true, false>(args, head, data, panel, first, keys, s);
  } else if (data.by_key.rows) {
    add_slots<false, true>(args, head, data, panel, first, keys, s);
  }
  if (args.dense) {
    const float* dense = args.dense.row<float>(head.h) + head.pair + panel.first * head.k_count + first;
    for (int64_t lane = 0; lane < panel.count; ++lane, dense += head.k_count) {
      for (int64_t j = 0; j < keys; ++j) s[j * kCols + lane] += dense[j];
    }
  }
  if (args.cap > 0) cap_scores(s, keys * kCols, args.cap);
  if (args.causal || args.window > 0) mask(args, head, panel, first, keys, s);
}

// The range of keys that any query of the panel sees, with the start rounded down to a whole block.
struct KeyRange {
  int64_t begin, end;
};
HWY_INLINE KeyRange keys_of(const AttentionArgs& args, const Head& head, const Panel& panel) {
  if (!args.causal && args.window == 0) return {0, head.k_count};
  const int64_t own =
      panel.first + head.k_count - head.q_count;  // index of the key aligned with the first query
  const int64_t begin = args.window > 0 ? std::max<int64_t>(0, own - args.window + 1) : 0;
  const int64_t reach = args.causal ? 1 : args.window;
  return {begin / kBlockKeys * kBlockKeys, std::min(head.k_count, own + panel.count - 1 + reach)};
}

// by_distance of one head reversed, with zeros around it for the lanes past the last query.
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
