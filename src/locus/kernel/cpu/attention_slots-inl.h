// The products of a head's queries and keys with the slot tables: [queries][slots] and [keys][slots], for the
// slots the head's distances meet. They live in a thread's own scratch, one head at a time: with a fixed
// number of slots memory grows with the length, and with its square only where every distance has its own.
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

// Where the two products and the packed right side of a matrix product lie in a thread's slot scratch.
struct SlotPlan {
  int64_t by_query = 0, by_key = 0, packed = 0, size = 0;

  SlotPlan() = default;
  explicit SlotPlan(const AttentionArgs& args) {
    if (!args.by_query.table && !args.by_key.table) return;
    const int64_t q_slots = args.by_query.table ? args.by_query.table.rows : 0;
    const int64_t k_slots = args.by_key.table ? args.by_key.table.rows : 0;
    const int64_t D = args.head_size, slots = std::max(q_slots, k_slots);
    by_key = longest_queries(args) * slot_stride(q_slots);
    packed = by_key + args.longest * slot_stride(k_slots);
    // Right sides: a table's rows, and backward also a head's queries or keys.
    const int64_t tokens = std::max(longest_queries(args), args.longest);
    size = packed + std::max({packed_size(D, slots), packed_size(slots, D), packed_size(tokens, D)});
  }
};

inline View matrix_view(float* data, int64_t rows, int64_t cols, int64_t stride) {
  return {reinterpret_cast<std::byte*>(data), DType::f32, Device::cpu, rows, cols, stride};
}
inline ConstView matrix_view(const float* data, int64_t rows, int64_t cols, int64_t stride) {
  return {reinterpret_cast<const std::byte*>(data), DType::f32, Device::cpu, rows, cols, stride};
}

// A head's part of a slot table: [count, D].
inline ConstView head_slots(const AttentionArgs& args, const SlotViews& term, const Head& head,
                            SlotRange range) {
  const int64_t column = term.table.cols == args.head_size ? 0 : head.h * args.head_size;
  return matrix_view(term.table.row<float>(range.first) + column, range.count, args.head_size,
                     term.table.stride);
}

// The tokens' products with the slots of one term that the head meets, made in `to`.
inline SlotProducts multiply_term(const AttentionArgs& args, const SlotViews& term, const Head& head,
                                  ConstView tokens, float* packed, float* to) {
  const SlotRange range = slots_of(args, term, head);
  if (range.count == 0) return {};
  const ConstView table = head_slots(args, term, head, range);
  const View right = matrix_view(packed, 1, packed_size(table.cols, table.rows), 0);
  pack({.b = table, .packed = right, .k = table.cols, .n = table.rows, .transposed = true});
  matmul({.a = tokens,
          .packed = right,
          .c = matrix_view(to, tokens.rows, table.rows, slot_stride(table.rows)),
          .m = tokens.rows,
          .n = table.rows,
          .k = table.cols});
  return {to, range.first, range.count, slot_stride(range.count)};
}

inline ConstView query_rows(const AttentionArgs& args, const Head& head) {
  return matrix_view(queries_of(args, head), head.q_count, args.head_size, args.q.stride);
}
inline ConstView key_rows(const AttentionArgs& args, const Head& head) {
  return matrix_view(keys_of(args, head), head.k_count, args.head_size, args.k.stride);
}

inline void multiply_slots(const AttentionArgs& args, const Head& head, const SlotPlan& plan, float* scratch,
                           HeadData& data) {
  float* packed = scratch + plan.packed;
  data.by_query =
      multiply_term(args, args.by_query, head, query_rows(args, head), packed, scratch + plan.by_query);
  data.by_key = multiply_term(args, args.by_key, head, key_rows(args, head), packed, scratch + plan.by_key);
}

}  // namespace HWY_NAMESPACE
}  // namespace locus::kernel::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
