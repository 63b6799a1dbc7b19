#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

EmbedSource source(const EmbedTable& from) { return {numbers(from.table), integers(from.ids)}; }

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
          .y = numbers(args.y),
          .mean = vector(args.mean),
          .rstd = vector(args.rstd)};
}

}  // namespace

void embed(const EmbedArgs& args) { launch_rows("embed/embed", args.y.rows, args.y.cols, params_of(args)); }

int64_t embed_workspace(int64_t rows) { return 2 * part_count(rows); }

void embed_backward(const EmbedBackwardArgs& args) {
  const int64_t N = args.dx.rows, C = args.dx.cols;
  const bool gains = args.dgamma || args.dbeta;
  const EmbedBackwardParams params = {.forward = params_of(args.forward),
                                      .dy = numbers(args.dy),
                                      .dx = numbers(args.dx),
                                      .dgamma = vector(args.dgamma),
                                      .dbeta = vector(args.dbeta),
                                      .parts = gains ? out(args.workspace) : Out(),
                                      .grain = part_grain(N),
                                      .part_count = part_count(N)};
  if (!args.forward.gamma) return launch_eights("embed/embed_backward_dropout", N, C, params);
  launch_parts("embed/embed_backward", params.part_count, C, params);
  if (gains) launch("embed/embed_gains", {divided_up(C, 32), 1, 1}, params);
}

}  // namespace locus::kernel::cuda
