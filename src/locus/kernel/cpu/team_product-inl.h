// The product of a few rows with a matrix that is read once, per SIMD target: the queries of a team of heads
// with their keys, or their weights with their values.
#if defined(LOCUS_KERNEL_CPU_TEAM_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCUS_KERNEL_CPU_TEAM_PRODUCT_INL_H_
#undef LOCUS_KERNEL_CPU_TEAM_PRODUCT_INL_H_
#else
#define LOCUS_KERNEL_CPU_TEAM_PRODUCT_INL_H_
#endif

#include "locus/kernel/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

inline constexpr int64_t kTeam = 4;         // most rows of a
inline constexpr int64_t kTeamVectors = 4;  // vectors of columns in one step, or a single one at the end

// c[h][v lane] += a[h][i] b[i][v lane] over i, in order. Vector v of a row of b is vector_at[v] after its
// start.
struct TeamProduct {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t b_step;  // from one row of b to the next
  int64_t vector_at[kTeamVectors] = {};
  int64_t depth;
  float* c;
  int64_t c_stride;
};

// The sums of one row of a.
struct TeamSums {
  V x, y, z, w;
};
template <int kVectors>
HWY_INLINE TeamSums load_sums(const float* c) {
  const F f;
  const V x = hn::LoadU(f, c);
  if constexpr (kVectors == 1) return {x, x, x, x};
  return {x, hn::LoadU(f, c + kLanes), hn::LoadU(f, c + 2 * kLanes), hn::LoadU(f, c + 3 * kLanes)};
}
template <int kVectors>
HWY_INLINE void store_sums(const TeamSums& sums, float* c) {
  const F f;
  hn::StoreU(sums.x, f, c);
  if constexpr (kVectors == 1) return;
  hn::StoreU(sums.y, f, c + kLanes), hn::StoreU(sums.z, f, c + 2 * kLanes),
      hn::StoreU(sums.w, f, c + 3 * kLanes);
}
template <int kVectors>
HWY_INLINE void multiply_add(TeamSums& sums, float a, const TeamSums& b) {
  const V factor = hn::Set(F(), a);
  sums.x = hn::MulAdd(factor, b.x, sums.x);
  if constexpr (kVectors == 1) return;
  sums.y = hn::MulAdd(factor, b.y, sums.y);
  sums.z = hn::MulAdd(factor, b.z, sums.z);
  sums.w = hn::MulAdd(factor, b.w, sums.w);
}

// Named sums, because g++ 12 keeps an array of vectors on the stack.
template <int kHeads, int kVectors>
HWY_INLINE void run_team(const TeamProduct& p) {
  const F f;
  const float *a = p.a, *b = p.b;
  float* c = p.c;
  TeamSums s0 = load_sums<kVectors>(c), s1 = s0, s2 = s0, s3 = s0;
  if constexpr (kHeads > 1) s1 = load_sums<kVectors>(c + p.c_stride);
  if constexpr (kHeads > 2) s2 = load_sums<kVectors>(c + 2 * p.c_stride);
  if constexpr (kHeads > 3) s3 = load_sums<kVectors>(c + 3 * p.c_stride);
  for (int64_t i = 0; i < p.depth; ++i, b += p.b_step) {
    TeamSums row;
    row.x = hn::LoadU(f, b);
    if constexpr (kVectors > 1) {
      row.y = hn::LoadU(f, b + p.vector_at[1]);
      row.z = hn::LoadU(f, b + p.vector_at[2]);
      row.w = hn::LoadU(f, b + p.vector_at[3]);
    }
    multiply_add<kVectors>(s0, a[i], row);
    if constexpr (kHeads > 1) multiply_add<kVectors>(s1, a[p.a_stride + i], row);
    if constexpr (kHeads > 2) multiply_add<kVectors>(s2, a[2 * p.a_stride + i], row);
    if constexpr (kHeads > 3) multiply_add<kVectors>(s3, a[3 * p.a_stride + i], row);
  }
  store_sums<kVectors>(s0, c);
  if constexpr (kHeads > 1) store_sums<kVectors>(s1, c + p.c_stride);
  if constexpr (kHeads > 2) store_sums<kVectors>(s2, c + 2 * p.c_stride);
  if constexpr (kHeads > 3) store_sums<kVectors>(s3, c + 3 * p.c_stride);
}

// kTeamVectors vectors of columns if `several`, otherwise one.
inline void run_team(int64_t heads, bool several, const TeamProduct& p) {
  if (heads == 1) return several ? run_team<1, 4>(p) : run_team<1, 1>(p);
  if (heads == 2) return several ? run_team<2, 4>(p) : run_team<2, 1>(p);
  if (heads == 3) return several ? run_team<3, 4>(p) : run_team<3, 1>(p);
  return several ? run_team<4, 4>(p) : run_team<4, 1>(p);
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
