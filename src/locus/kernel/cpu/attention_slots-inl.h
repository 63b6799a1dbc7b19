// The products of the queries and keys of a head with the slot tables, [queries][slots] and [keys][slots],
// for the slots that the distances of the head use. They are stored in the scratch memory of a thread, one
// head at a time. With a fixed number of slots the memory grows linearly with the length; it grows
// quadratically only if every distance has its own slot.
#if defined(LOCUS_KERNEL_CPU_ATTENTION_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_ATTENTION_SLOTS_INL_H_
#undef LOCUS_KERNEL_CPU_ATTENTION_SLOTS_INL_H_
#else
#define LOCUS_KERNEL_CPU_ATTENTION_SLOTS_INL_H_
#endif

#include "locus/kernel/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu {
namespace HWY_NAMESPACE {

// Tokens that are multiplied together with the union of their slots. If there are many distances, a small
// group of tokens uses only about half of them.
inline constexpr int64_t kTokenGroup = 32;
static_assert(kTokenGroup % kRows == 0);

// Layout of the slot scratch of a thread: the two products and the packed sides of a matrix product.
struct SlotPlan {
  int64_t by_query = 0, by_key = 0, packed = 0, left = 0, size = 0;

  SlotPlan() = default;
  explicit SlotPlan(const AttentionArgs& args) {
    if (!args.by_query.table && !args.by_key.table) return;
    const int64_t q_slots = args.by_query.table ? args.by_query.table.rows : 0;
    const int64_t k_slots = args.by_key.table ? args.by_key.table.rows : 0;
    const int64_t D = args.head_size, slots = std::max(q_slots, k_slots);
    by_key = padded(longest_queries(args), kRows) * slot_stride(q_slots);
    packed = by_key + padded(args.longest, kRows) * slot_stride(k_slots);
    // Right sides: the rows of a table, and in the backward pass also the queries or keys of a head.
    const int64_t tokens = std::max(longest_queries(args), args.longest);
    left = packed + std::max({packed_size(D, slots, DType::f32), packed_size(slots, D, DType::f32),
                              packed_size(tokens, D, DType::f32)});
    size = left + kTokenGroup * D;
  }
};

inline View matrix_view(float* data, int64_t rows, int64_t cols, int64_t stride) {
  return {reinterpret_cast<std::byte*>(data), DType::f32, Device::cpu, rows, cols, stride};
}
inline ConstView matrix_view(const float* data, int64_t rows, int64_t cols, int64_t stride) {
  return {reinterpret_cast<const std::byte*>(data), DType::f32, Device::cpu, rows, cols, stride};
}

// The part of a slot table that belongs to a head: [count, D].
inline ConstView head_slots(const AttentionArgs& args, const SlotViews& term, const Head& head,
                            SlotRange range) {
  const int64_t column = term.table.cols == args.head_size ? 0 : head.h * args.head_size;
  return matrix_view(term.table.row<float>(range.first) + column, range.count, args.head_size,
                     term.table.stride);
}

// Computes the products of `tokens` tokens with the slots of one term in `to`. Slots that a token does not
// use are skipped. part(first, count) is the head restricted to those tokens, pack_part(first, count, out)
// their rows as the left side of a tile.
template <class Part, class PackPart>
SlotProducts multiply_term(const AttentionArgs& args, const SlotViews& term, const Head& head, int64_t tokens,
                           Part part, PackPart pack_part, float* packed, float* left, float* to) {
  const SlotRange range = slots_of(args, term, head);
  if (range.count == 0) return {};
  const ConstView table = head_slots(args, term, head, range);
  const int64_t D = table.cols, stride = slot_stride(range.count);
  const View right = matrix_view(packed, 1, packed_size(D, table.rows, DType::f32), 0);
  pack({.b = table, .packed = right, .k = D, .n = table.rows, .transposed = true});
  for (int64_t first = 0; first < tokens; first += kTokenGroup) {
    const int64_t count = std::min(kTokenGroup, tokens - first);
    const SlotRange met = slots_of(args, term, part(first, count));
    pack_part(first, count, left);
    const int64_t begin = (met.first - range.first) / kCols * kCols;
    for (int64_t slot = begin; slot < met.first + met.count - range.first; slot += kCols) {
      tiles<kRows>({.a = left,
                    .b = packed + slot * D,
                    .depth = D,
                    .c = to + first * stride + slot,
                    .stride = stride,
                    .count = divide_up(count, kRows),
                    .a_step = kRows * D});
    }
  }
  return {to, range.first, range.count, stride};
}

inline ConstView query_rows(const AttentionArgs& args, const Head& head) {
  return matrix_view(queries_of(args, head), head.q_count, args.head_size, args.q.stride);
}
inline ConstView key_rows(const AttentionArgs& args, const Head& head) {
  return matrix_view(keys_of(args, head), head.k_count, args.head_size, args.k.stride);
}

inline void multiply_slots(const AttentionArgs& args, const Head& head, const SlotPlan& plan, float* scratch,
                           HeadData& data) {
  float *packed = scratch + plan.packed, *left = scratch + plan.left;
  const auto queries = [&](int64_t first, int64_t count) { return with_queries(head, first, count); };
  const auto keys = [&](int64_t first, int64_t count) { return with_keys(head, first, count); };
  const auto pack_queries = [&](int64_t first, int64_t count, float* out) HWY_ATTR {
    pack_keys(queries_of(args, head) + first * args.q.stride, args.q.stride, count, args.head_size, out);
  };
  const auto pack_own_keys = [&](int64_t first, int64_t count, float* out)
                                 HWY_ATTR { pack_keys_of(args, head, first, count, out); };
  data.by_query = multiply_term(args, args.by_query, head, head.q_count, queries, pack_queries, packed, left,
                                scratch + plan.by_query);
  data.by_key = multiply_term(args, args.by_key, head, head.k_count, keys, pack_own_keys, packed, left,
                              scratch + plan.by_key);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
