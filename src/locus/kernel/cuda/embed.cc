#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

EmbedSource source(const EmbedTable& from) {
  const ConstView& table = from.table;
  if (!table) return {};
  const bool bf16 = table.dtype == DType::bf16;
  if (!bf16) table.address<float>();  // fails for any other dtype
  return {{reinterpret_cast<const char*>(table.data), table.rows, table.cols, table.stride},
          integers(from.ids),
          bf16};
}

EmbedParams params_of(const EmbedArgs& args) {
  return {.tokens = source(args.tokens),
          .positions = source(args.positions),
          .segments = source(args.segments),
          .position_column = args.joined ? args.tokens.table.cols : 0,
          .token_scale = args.token_scale,
          .gamma = vector(args.gamma),
          .beta = vector(args.beta),
          .eps = args.eps,
          .rms = args.rms,
          .dropout = dropout_of(args.dropout, args.seed, args.stream),
          .y = out(args.y),
          .mean = vector(args.mean),
          .rstd = vector(args.rstd)};
}

}  // namespace

void embed(const EmbedArgs& args) { launch("rows/embed", {args.y.rows, 1, 1}, params_of(args)); }

int64_t embed_workspace(int64_t rows) { return 2 * part_count(rows); }

void embed_backward(const EmbedBackwardArgs& args) {
  const int64_t N = args.dx.rows, C = args.dx.cols;
  const EmbedBackwardParams params = {.forward = params_of(args.forward),
                                      .dy = in(args.dy),
                                      .dx = out(args.dx),
                                      .dgamma = vector(args.dgamma),
                                      .dbeta = vector(args.dbeta),
                                      .parts = out(args.workspace),
                                      .grain = part_grain(N),
                                      .part_count = part_count(N)};
  if (args.dgamma || args.dbeta) {
    launch("rows/embed_gain_parts", {divided_up(C, kThreads), params.part_count, 1}, params);
    launch_elements("rows/embed_gains", C, params);
  }
  launch("rows/embed_backward", {N, 1, 1}, params);
}

}  // namespace locus::kernel::cuda
