// Attention of a single query, with unpacked keys and values. Decoding steps use this: packing keys that are
// used once costs more than using them. Every sum has the same order as in a panel of queries (attention.cc),
// so a query gets the same bits whether it is alone or not.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_SINGLE_QUERY_INL_H_
#endif

#include <cmath>

#include "locus/kernel/cpu/attention-inl.h"
#include "locus/kernel/cpu/dot_strip-inl.h"
#include "locus/kernel/cpu/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Slot terms and dropout are only implemented for panels.
HWY_INLINE bool single_query(const AttentionArgs& args, const Head& head) {
  return head.q_count == 1 && !args.by_query.table && !args.by_key.table && args.dropout == 0;
}

// The scores of `keys` keys from `first` with the scaled query q.
HWY_INLINE void score_single_query(const AttentionArgs& args, const Head& head, const HeadData& data,
                                   const float* q, int64_t first, int64_t keys, float* s) {
  const int32_t q_at = args.sequences.query_positions.as<int32_t>()[head.q];
  const int32_t* k_at = args.sequences.key_positions.as<int32_t>() + head.k + first;
  const float* table = data.distances ? distance_zero(args, data) : nullptr;
  const float* k = keys_of(args, head) + first * args.k.stride;
  const float* v = values_of(args, head) + first * args.v.stride;
  const bool pieces = table && args.sequences.contiguous;
  const int64_t count = std::min(kStrip, keys);
  for (int64_t j = 0; j < keys; j += kStrip) {
    const int64_t at = std::min(j, keys - count);  // the last strip may overlap the previous one
    // Prefetch the next strip, and the values of the keys of this strip.
    for (int64_t i = at + count; i < std::min(at + 2 * count, keys); ++i) {
      prefetch_strip(k + i * args.k.stride, args.head_size);
    }
    for (int64_t i = at; i < at + count; ++i) prefetch_strip(v + i * args.v.stride, args.head_size);
    for (int64_t i = at; i < at + count; ++i) s[i] = pieces ? table[q_at - k_at[i]] : 0;
    add_dots(Strip<float>{k + at * args.k.stride, args.k.stride, args.head_size}, count, q, s + at);
  }
  for (int64_t j = 0; table && !pieces && j < keys; ++j) s[j] += table[q_at - k_at[j]];
  if (args.dense) {
    const float* dense = args.dense.row<float>(head.h) + head.pair + first;
    for (int64_t j = 0; j < keys; ++j) s[j] += dense[j];
  }
  if (args.cap > 0) cap_scores(s, keys, args.cap);
  if (args.window == 0) return;
  const int64_t hidden = std::clamp<int64_t>(head.k_count - args.window - first, 0, keys);
  std::fill_n(s, hidden, -std::numeric_limits<float>::infinity());
}

struct SingleQuerySoftmax {
  float largest = -std::numeric_limits<float>::infinity(), sum = 0;
};

// Turns scores into weights e^(s - largest) and adds them up. Returns the factor that rescales earlier sums.
HWY_INLINE float softmax_single_query(float* s, int64_t keys, SingleQuerySoftmax& state) {
  const F f;
  const hn::CappedTag<float, 1> one;
  V most = hn::Set(f, state.largest);
  int64_t j = 0;
  for (; j + kLanes <= keys; j += kLanes) most = hn::Max(most, hn::LoadU(f, s + j));
  auto now = hn::Set(one, hn::GetLane(hn::MaxOfLanes(f, most)));
  for (; j < keys; ++j) now = hn::Max(now, hn::LoadU(one, s + j));
  const float largest = hn::GetLane(now);
  const float base = largest == -std::numeric_limits<float>::infinity() ? 0 : largest;
  const float rescale = hn::GetLane(exp(one, hn::Set(one, state.largest - base)));
  sweep_into(s, keys, [&](auto d, int64_t i) HWY_ATTR {
    return exp(d, hn::Sub(hn::LoadU(d, s + i), hn::Set(d, base)));
  });
  state.largest = largest;
  state.sum *= rescale;
  for (j = 0; j < keys; ++j) state.sum += s[j];
  return rescale;
}

// out[D] = rescale * out + weights . v over a block of keys. If `begins`, out starts from zero.
HWY_INLINE void add_single_query_values(const float* v, int64_t stride, const float* weights, int64_t keys,
                                        int64_t D, bool begins, float rescale, float* out) {
  const auto add = [&]<class T, size_t... i>(T d, int64_t c, std::index_sequence<i...>) HWY_ATTR {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto earlier = hn::Set(d, rescale);
    hn::Vec<T> sums[] = {
        (begins ? hn::Zero(d) : hn::Mul(hn::LoadU(d, out + c + lanes * int64_t{i}), earlier))...};
    for (int64_t j = 0; j < keys; ++j) {
      const float* row = v + j * stride + c;
      const auto weight = hn::Set(d, weights[j]);
      ((sums[i] = hn::MulAdd(hn::LoadU(d, row + lanes * int64_t{i}), weight, sums[i])), ...);
    }
    (hn::StoreU(sums[i], d, out + c + lanes * int64_t{i}), ...);
  };
  int64_t c = 0;
  for (; c + 16 * kLanes <= D; c += 16 * kLanes) add(F(), c, std::make_index_sequence<16>());
  for (; c + 4 * kLanes <= D; c += 4 * kLanes) add(F(), c, std::make_index_sequence<4>());
  for (; c + kLanes <= D; c += kLanes) add(F(), c, std::make_index_sequence<1>());
  for (; c < D; ++c) add(hn::CappedTag<float, 1>(), c, std::make_index_sequence<1>());
}

inline void RunSingleQuery(const AttentionArgs& args, const Head& head, const HeadData& data,
                           float* scratch) {
  const int64_t D = args.head_size;
  float *q = scratch, *out = q + D, *s = out + D;
  scale_into(q, queries_of(args, head), D, args.scale);
  const KeyRange range = keys_of(args, head, {.first = 0, .count = 1, .q = q});
  SingleQuerySoftmax state;
  for (int64_t j = range.begin; j < range.end; j += kBlockKeys) {
    const int64_t keys = std::min(kBlockKeys, range.end - j);
    score_single_query(args, head, data, q, j, keys, s);
    const float rescale = softmax_single_query(s, keys, state);
    add_single_query_values(values_of(args, head) + j * args.v.stride, args.v.stride, s, keys, D,
                            j == range.begin, rescale, out);
  }
  if (range.begin >= range.end) std::fill_n(out, D, 0.0f);
  const float factor = state.sum == 0 ? 0 : 1 / state.sum;
  scale_into(args.out.row<float>(head.q) + head.h * D, out, D, factor);
  if (args.lse) args.lse.row<float>(head.q)[head.h] = state.largest + std::log(state.sum);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
