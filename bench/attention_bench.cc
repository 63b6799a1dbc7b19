// Attention 2x12x512x64, forward and forward + backward: plain, with dropout, and with each kind of score
// term. The operations counted are those of the plain products only (2 forward, 5 more backward), so that the
// rows can be compared with each other.
#include "bench/operands.h"
#include "locus/op/attention.h"

namespace locus::bench {
namespace {

constexpr int64_t B = 2, H = 12, L = 512, D = 64, N = B * L, C = H * D, kSlots = 512;

Sequences sequences() {
  Tensor starts = Tensor::empty({B + 1}, DType::i32), positions = Tensor::empty({N}, DType::i32);
  for (int32_t b = 0; b <= B; ++b) starts.data<int32_t>()[static_cast<size_t>(b)] = b * int32_t{L};
  for (size_t i = 0; i < N; ++i) positions.data<int32_t>()[i] = static_cast<int32_t>(i % L);
  return {.query_starts = starts,
          .key_starts = starts,
          .query_positions = positions,
          .key_positions = positions,
          .longest_keys = L};
}

Var parameter(Shape shape, uint64_t seed) { return Var::parameter(filled(shape, seed)); }

// Two tables that share their slots, as in DeBERTa.
ScoreTerms slot_terms() {
  Tensor slots = Tensor::empty({2 * L - 1}, DType::i32);
  for (int32_t i = 0; i < 2 * L - 1; ++i)
    slots.data<int32_t>()[static_cast<size_t>(i)] = i * int32_t{kSlots} / (2 * L - 1);
  return {.by_query = SlotTerm{parameter({kSlots, C}, 6), slots, L - 1},
          .by_key = SlotTerm{parameter({kSlots, C}, 7), slots, L - 1}};
}

void add_case(const std::string& name, bool backward, const ScoreTerms& terms, bool causal = false,
              float dropout = 0) {
  const double products = (backward ? 7.0 : 2.0) * (causal ? 0.5 : 1.0);
  add({.kernel = "attention" + name + (backward ? "+backward" : ""),
       .shape = fmt::format("{}x{}x{}x{}", B, H, L, D),
       .work = products * 2 * B * H * L * L * D,
       .footprint = 4 * N * C * 4,
       .limit = Limit::fma,
       .prepare = [=] {
         return [=, s = sequences(), q = parameter({N, C}, 1), k = parameter({N, C}, 2),
                 v = parameter({N, C}, 3), dout = filled({N, C}, 4)] {
           const op::AttentionOptions options = {.heads = H, .causal = causal, .dropout = dropout};
           if (backward) {
             op::attention(q, k, v, s, terms, options).backward(dout);
           } else {
             const NoGrad scope;
             op::attention(q, k, v, s, terms, options);
           }
         };
       }});
}

}  // namespace

void add_attention_cases() {
  for (const bool backward : {false, true}) {
    add_case("", backward, {});
    add_case("_causal", backward, {}, true);
    add_case("+dropout", backward, {}, false, 0.1f);
    add_case("_by_distance", backward, {.by_distance = DistanceTerm{parameter({H, 2 * L - 1}, 5), L - 1}});
    add_case("_by_slots", backward, slot_terms());
  }
}

}  // namespace locus::bench
