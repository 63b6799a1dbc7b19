#include "locus/kernel/embed.h"

#include <array>
#include <cstring>

#include "locus/kernel/cpu/cpu.h"
#include "locus/kernel/cpu/pieces.h"
#include "locus/kernel/cpu/prefetch.h"
#include "locus/kernel/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "locus/kernel/cpu/embed.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "locus/kernel/cpu/bf16-inl.h"
#include "locus/kernel/cpu/dropout-inl.h"
#include "locus/kernel/cpu/norm_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace locus::kernel::cpu::HWY_NAMESPACE {

// Rows up to this width are summed in a buffer in the L1 cache, so that y is written only once.
constexpr int64_t kNarrow = 2048;

HWY_INLINE const float* row_of(const EmbedTable& from, int64_t n) {
  return from.table ? from.table.row<float>(from.ids.as<int32_t>()[n]) : nullptr;
}

// The row of token n. A row of a bf16 table is converted into x, the memory of the sum it is part of.
HWY_INLINE const float* token_row(const EmbedArgs& args, int64_t n, float* x) {
  const ConstView& table = args.tokens.table;
  if (table.dtype != DType::bf16) return row_of(args.tokens, n);
  const Bf16* row = table.row<Bf16>(args.tokens.ids.as<int32_t>()[n]);
  sweep_into(x, table.cols, [&](auto d, int64_t i) HWY_ATTR { return load_bf16(d, row + i); });
  return x;
}

// The token row that is needed two rows later. Token rows are at random places in a table larger than the
// caches; prefetched early and line by line, they arrive at the speed of a copy. bf16 rows (inference only)
// are not prefetched: this returns the row that is being written anyway.
HWY_INLINE const float* row_to_prefetch(const EmbedArgs& args, int64_t n) {
  if (args.tokens.table.dtype == DType::bf16) return args.y.row<float>(n);
  return row_of(args.tokens, HWY_MIN(n + 2, args.tokens.ids.numel() - 1));
}

// Elements i.. of scale first (+ second (+ third))
template <size_t kRows, class D>
HWY_INLINE auto sum_at(D d, float scale, const std::array<const float*, kRows>& rows, int64_t i) {
  const auto factor = hn::Set(d, scale), first = hn::LoadU(d, rows[0] + i);
  if constexpr (kRows == 1) {
    return hn::Mul(factor, first);
  } else {
    auto others = hn::LoadU(d, rows[1] + i);
    if constexpr (kRows > 2) others = hn::Add(others, hn::LoadU(d, rows[2] + i));
    return hn::MulAdd(factor, first, others);
  }
}

// Calls f with the full-width rows whose sum is x for token n.
template <class F>
HWY_INLINE auto with_rows(const EmbedArgs& args, int64_t n, float* x, F f) {
  const float* token = token_row(args, n, x);
  const float* position = row_of(args.positions, n);
  const float* segment = row_of(args.segments, n);
  if (position && segment) return f(std::array{token, position, segment});
  if (position || segment) return f(std::array{token, position ? position : segment});
  return f(std::array{token});
}

// x = the sum of the rows of token n
HWY_INLINE void look_up(const EmbedArgs& args, int64_t n, float* x, int64_t C) {
  const auto add_rows = [&](auto rows, int64_t width) HWY_ATTR {
    const auto sum = [&](auto d, int64_t i) HWY_ATTR { return sum_at(d, args.token_scale, rows, i); };
    sweep_into(x, width, sum, Prefetch{row_to_prefetch(args, n)});
  };
  if (!args.joined) return with_rows(args, n, x, [&](auto rows) HWY_ATTR { add_rows(rows, C); });
  const int64_t own = args.tokens.table.cols;
  add_rows(std::array{token_row(args, n, x)}, own);
  std::memcpy(x + own, row_of(args.positions, n), static_cast<size_t>(C - own) * sizeof(float));
  if (args.segments.table) add_row(x, row_of(args.segments, n), C);
}

// The same, and the moments of x, computed while the sums are in registers.
HWY_INLINE Moments look_up_moments(const EmbedArgs& args, int64_t n, float* x, int64_t C) {
  if (args.joined) {
    look_up(args, n, x, C);
    return moments(x, C, args.rms, args.eps);
  }
  const float scale = args.token_scale;
  const Sums sums = with_rows(args, n, x, [&](auto rows) HWY_ATTR {
    const auto add = [&](auto d, int64_t i, auto& sum, auto& square) HWY_ATTR {
      const auto value = sum_at(d, scale, rows, i);
      hn::StoreU(value, d, x + i);
      add_value(value, sum, square);
    };
    return accumulate_two(C, add, PrefetchWritten{args.y.row<float>(n)});
  });
  return moments_of(sums, x, C, args.rms, args.eps);
}

// With a norm, rows are prefetched during the norm, when the memory bus is idle. The arguments are copied so
// that no argument is read again after a store: while prefetches are outstanding, even a read from the L2
// cache has to wait.
void embed_kernel(const EmbedArgs& given) {
  parallel_for(given.y.rows, row_grain(given.y.cols), [&](int64_t begin, int64_t end) HWY_ATTR {
    const EmbedArgs args = given;
    const int64_t C = args.y.cols;
    const float* gamma = args.gamma ? args.gamma.row<float>(0) : nullptr;
    const float* beta = args.beta ? args.beta.row<float>(0) : nullptr;
    const Dropper dropper(args.dropout, args.seed, args.stream);
    HWY_ALIGN float buffer[kNarrow];
    for (int64_t n = begin; n < end; ++n) {
      float* y = args.y.row<float>(n);
      float* x = gamma && C <= kNarrow ? buffer : y;
      if (!gamma) {
        look_up(args, n, x, C);
      } else {
        const Moments of = look_up_moments(args, n, x, C);
        norm_row(x, y, C, of, gamma, beta, Prefetch{row_to_prefetch(args, n)});
        if (args.mean) args.mean.row<float>(0)[n] = of.mean;
        if (args.rstd) args.rstd.row<float>(0)[n] = of.rstd;
      }
      if (args.dropout > 0) drop(dropper, y, y, C, n * C);
    }
  });
}

// A row of dx holds the gradient of the dropout input until dx itself is computed from it.
void embed_backward_kernel(const EmbedBackwardArgs& args) {
  const EmbedArgs& forward = args.forward;
  const int64_t N = args.dx.rows, C = args.dx.cols;
  const Dropper dropper(forward.dropout, forward.seed, forward.stream);
  const auto dropout_gradient = [&](int64_t n) HWY_ATTR {
    if (forward.dropout == 0) return args.dy.row<float>(n);
    drop(dropper, args.dy.row<float>(n), args.dx.row<float>(n), C, n * C);
    return static_cast<const float*>(args.dx.row<float>(n));
  };
  if (!forward.gamma) {
    parallel_for(N, row_grain(C), [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t n = begin; n < end; ++n) {
        const float* dy = dropout_gradient(n);
        float* dx = args.dx.row<float>(n);
        if (dy != dx) std::memcpy(dx, dy, static_cast<size_t>(C) * sizeof(float));
      }
    });
    return;
  }
  norm_backward_rows(
      N, args.dgamma, args.dbeta, args.workspace, [&](int64_t n, float* dgamma, float* dbeta) HWY_ATTR {
        float* x = args.workspace.row<float>(2 * partial_chunks(N) + n / partial_grain(N));
        look_up(forward, n, x, C);
        NormBackwardRow{
            .x = x,
            .gamma = forward.gamma.row<float>(0),
            .dy = dropout_gradient(n),
            .dx = args.dx.row<float>(n),
            .dgamma = dgamma,
            .dbeta = dbeta,
            .of = {forward.rms ? 0 : forward.mean.row<float>(0)[n], forward.rstd.row<float>(0)[n]},
            .C = C,
            .rms = forward.rms}
            .run();
      });
}

}  // namespace locus::kernel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace locus::kernel::cpu {

LOCUS_EXPORT(embed_kernel);
LOCUS_EXPORT(embed_backward_kernel);

// The partial sums of dgamma and dbeta, and one row of x for each part.
int64_t embed_workspace(int64_t rows) { return 3 * partial_chunks(rows); }

void embed(const EmbedArgs& args) { LOCUS_DISPATCH(embed_kernel)(args); }
void embed_backward(const EmbedBackwardArgs& args) { LOCUS_DISPATCH(embed_backward_kernel)(args); }

}  // namespace locus::kernel::cpu
#endif
