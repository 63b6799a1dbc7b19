#include "locus/kernel/cuda/attention_mma.h"

#include "locus/kernel/cuda/attention_mma_sizes.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

constexpr int64_t kMostParts = int64_t{1} << 30;  // 4 GiB of f32

// Rows that are read and written 16 bytes at a time.
bool is_aligned(ConstView view) {
  return view.dtype == DType::bf16 && reinterpret_cast<uintptr_t>(view.data) % 16 == 0 &&
         view.stride % 8 == 0 && view.stride < INT32_MAX;
}
bool is_aligned_or_absent(ConstView view) { return !view || is_aligned(view); }

Matrix<const uint16_t> in_bf16(ConstView view) {
  if (!view) return {};
  return {reinterpret_cast<const uint16_t*>(view.address<Bf16>()), view.rows, view.cols, view.stride};
}
Matrix<uint16_t> out_bf16(View view) {
  if (!view) return {};
  return {reinterpret_cast<uint16_t*>(view.address<Bf16>()), view.rows, view.cols, view.stride};
}

AttentionMmaParams params_of(const AttentionArgs& args) {
  return {.q = in_bf16(args.q),
          .k = in_bf16(args.k),
          .v = in_bf16(args.v),
          .query_starts = integers(args.sequences.query_starts),
          .key_starts = integers(args.sequences.key_starts),
          .query_positions = integers(args.sequences.query_positions),
          .key_positions = integers(args.sequences.key_positions),
          .sequences = args.sequences.query_starts.cols - 1,
          .heads = static_cast<int>(args.heads),
          .key_heads = static_cast<int>(args.key_heads),
          .scale = args.scale,
          .cap = args.cap,
          .causal = args.causal,
          .window = args.window,
          .by_distance = in(args.by_distance.table),
          .distance_zero = args.by_distance.zero,
          .dropout = dropout_of(args.dropout, args.seed, args.stream),
          .longest = args.longest,
          .out = out_bf16(args.out),
          .lse = out(args.lse)};
}

// The kernels that are compiled for fewer terms, where they are enough.
const char* terms_of(const AttentionArgs& args) {
  const bool others = args.cap != 0 || args.dropout != 0;
  if (!others && !args.by_distance.table) return "plain";
  return !others && args.head_size % 64 == 0 ? "distances" : "all";
}

template <class Params>
void launch_mma(const char* kind, const AttentionArgs& args, int64_t blocks, int64_t shared_bytes,
                const Params& params) {
  const std::string name = fmt::format("{}_{}_{}", kind, args.head_size, terms_of(args));
  launch_as(name.c_str(), {.grid = {blocks, 1, 1}, .threads = kMmaThreads, .shared_bytes = shared_bytes},
            params);
}
bool has_terms(const AttentionArgs& args) { return std::string_view(terms_of(args)) != "plain"; }

int64_t tiles_of(ConstView rows, const AttentionArgs& args, int64_t size) {
  return tile_count(rows.rows, args.sequences.query_starts.cols - 1, size);
}

// Where the gradient of by_distance of a tile of queries starts, and the end of the last.
int64_t part_rows(const AttentionBackwardArgs& args) {
  const AttentionArgs& forward = args.forward;
  return args.dby_distance ? tiles_of(forward.q, forward, backward_rows(forward.head_size)) * forward.heads
                           : 0;
}

}  // namespace

bool takes_bf16(const AttentionArgs& args) {
  const bool has_size = args.head_size % 32 == 0 && args.head_size >= 32 && args.head_size <= 128;
  return has_size && is_aligned(args.q) && is_aligned(args.k) && is_aligned(args.v) && is_aligned(args.out) &&
         args.rooms.empty() && args.scale > 0 && !args.by_query.table && !args.by_key.table && !args.dense &&
         (!args.by_distance.table || args.sequences.contiguous) && args.window < 1 << 30;
}

bool takes_bf16(const AttentionBackwardArgs& args) {
  return takes_bf16(args.forward) && is_aligned(args.dout) && is_aligned_or_absent(args.dq) &&
         is_aligned_or_absent(args.dk) && is_aligned_or_absent(args.dv) &&
         part_rows(args) * args.dby_distance.cols <= kMostParts;
}

void attention_mma(const AttentionArgs& args) {
  launch_mma("attention_mma/attention_mma", args, tiles_of(args.q, args, kForwardRows) * args.heads,
             forward_bytes(args.head_size, has_terms(args)), params_of(args));
}

int64_t attention_mma_backward_workspace(const AttentionBackwardArgs& args) {
  return larger(1, 2 * args.forward.q.rows * args.forward.heads + part_rows(args) * args.dby_distance.cols);
}

void attention_mma_backward(const AttentionBackwardArgs& args) {
  const AttentionArgs& forward = args.forward;
  const int64_t rows = forward.q.rows, heads = forward.heads, distances = args.dby_distance.cols;
  float* const numbers = vector(args.workspace);
  AttentionMmaBackwardParams params = {.forward = params_of(forward),
                                       .dout = in_bf16(args.dout),
                                       .dq = out_bf16(args.dq),
                                       .dk = out_bf16(args.dk),
                                       .dv = out_bf16(args.dv),
                                       .delta = {numbers, heads, rows, rows},
                                       .lse = {numbers + rows * heads, heads, rows, rows},
                                       .distance_parts = {},
                                       .rows = backward_rows(forward.head_size),
                                       .dby_distance = out(args.dby_distance)};
  if (args.dby_distance)
    params.distance_parts = {numbers + 2 * rows * heads, part_rows(args), distances, distances};
  launch("attention_mma_queries/attention_mma_delta", {divided_up(rows * heads * 16, kThreads), 1, 1},
         params);
  const bool terms = has_terms(forward);
  if (args.dq || args.dby_distance) {
    launch_mma("attention_mma_queries/attention_mma_queries", forward,
               tiles_of(forward.q, forward, params.rows) * heads, queries_bytes(forward.head_size, terms),
               params);
  }
  if (args.dk || args.dv) {
    launch_mma("attention_mma_keys/attention_mma_keys", forward,
               tiles_of(forward.k, forward, params.rows) * forward.key_heads,
               keys_bytes(forward.head_size, terms), params);
  }
  if (args.dby_distance) {
    launch("attention_mma_queries/attention_mma_distances", {divided_up(distances, kThreads), heads, 1},
           params);
  }
}

}  // namespace locus::kernel::cuda
