#include <optional>
#include <vector>

#include "locus/kernel/cuda/attention_mma.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

Slots slots_of(const SlotViews& term, int64_t head_size) {
  return {in(term.table), integers(term.slots), term.zero, term.table.cols == head_size};
}

AttentionParams params_of(const AttentionArgs& args) {
  return {.q = in(args.q),
          .k = in(args.k),
          .v = in(args.v),
          .query_starts = integers(args.sequences.query_starts),
          .key_starts = integers(args.sequences.key_starts),
          .query_positions = integers(args.sequences.query_positions),
          .key_positions = integers(args.sequences.key_positions),
          .sequences = args.sequences.query_starts.cols - 1,
          .heads = args.heads,
          .key_heads = args.key_heads,
          .head_size = args.head_size,
          .scale = args.scale,
          .cap = args.cap,
          .causal = args.causal,
          .contiguous = args.sequences.contiguous,
          .window = args.window,
          .by_distance = in(args.by_distance.table),
          .distance_zero = args.by_distance.zero,
          .by_query = slots_of(args.by_query, args.head_size),
          .by_key = slots_of(args.by_key, args.head_size),
          .dense = in(args.dense),
          .dropout = dropout_of(args.dropout, args.seed, args.stream),
          .longest = args.longest,
          .out = out(args.out),
          .lse = out(args.lse)};
}

int64_t pieces_of(int64_t head_size) { return divided_up(head_size, kTile); }

// Numbers of the vectors of all distances: [H, S, D].
int64_t vectors_of(const AttentionArgs& args, const SlotViews& term) {
  return args.heads * term.slots.cols * args.head_size;
}

int64_t query_tiles(const AttentionArgs& args) {
  return tile_count(args.q.rows, args.sequences.query_starts.cols - 1);
}

// Numbers of the gradient of by_distance, one for every tile of queries, head and distance: [tiles H, S]. 0
// if positions have gaps, or if that were too many: then the distances are summed one by one, which takes
// longer.
int64_t strips_of(const AttentionBackwardArgs& args) {
  constexpr int64_t kMost = int64_t{1} << 27;  // 512 MiB
  if (!args.dby_distance || !args.forward.sequences.contiguous) return 0;
  const int64_t numbers = query_tiles(args.forward) * args.dby_distance.numel();
  return numbers <= kMost ? numbers : 0;
}

// Where the parts of the workspace start.
struct Workspace {
  int64_t strips, query_vectors, key_vectors, end;  // delta is at 0

  explicit Workspace(const AttentionBackwardArgs& args)
      : strips(args.forward.q.rows * args.forward.heads),
        query_vectors(strips + strips_of(args)),
        key_vectors(query_vectors + (args.dby_query ? vectors_of(args.forward, args.forward.by_query) : 0)),
        end(key_vectors + (args.dby_key ? vectors_of(args.forward, args.forward.by_key) : 0)) {}
};

struct Tables {
  const AttentionArgs& args;
  const AttentionBackwardParams& params;

  void add_distances(int what, int64_t distances, int64_t zero, Out sums) const {
    const AttentionDistanceParams of_distances = {params, what, distances, zero, sums};
    if (what != kOfTerm && args.sequences.contiguous) {
      launch("attention_tables/attention_bands",
             {divided_up(distances, kTile), args.heads, pieces_of(args.head_size)}, of_distances);
    } else {
      const int64_t pieces = what == kOfTerm ? 1 : divided_up(args.head_size, 128);
      launch("attention_tables/attention_distances", {distances, args.heads, pieces}, of_distances);
    }
  }
  void add_slots(int what, const SlotViews& term, View gradient, float* sums) const {
    const int64_t distances = term.slots.cols, rows = args.heads * distances;
    const Out vectors = {sums, rows, args.head_size, args.head_size};
    add_distances(what, distances, term.zero, vectors);
    launch("attention_tables/attention_slots", {gradient.rows, divided_up(gradient.cols, kThreads), 1},
           AttentionSlotParams{.sums = {sums, rows, args.head_size, args.head_size},
                               .slots = integers(term.slots),
                               .distances = distances,
                               .heads = args.heads,
                               .head_size = args.head_size,
                               .scale = args.scale,
                               .shared = term.table.cols == args.head_size,
                               .gradient = out(gradient)});
  }
};

}  // namespace

int64_t attention_workspace(const AttentionArgs&) { return 1; }

int64_t attention_backward_workspace(const AttentionBackwardArgs& args) {
  if (takes_bf16(args)) return attention_mma_backward_workspace(args);
  return larger(1, Workspace(args).end);
}

void attention(const AttentionArgs& args) {
  if (takes_bf16(args)) return attention_mma(args);
  AttentionParams params = params_of(args);
  // The host makes a new list of rooms for every call; the GPU gets a copy.
  std::vector<Room> rooms;
  for (const RoomViews& room : args.rooms) rooms.push_back({in(room.keys), in(room.values)});
  std::optional<Scratch> copy;
  if (!rooms.empty()) {
    copy.emplace(Use::rooms, static_cast<int64_t>(rooms.size() * sizeof(Room)));
    locus::cuda::upload(copy->address(), std::as_bytes(std::span(rooms)));
    params.rooms = copy->as<Room>();
  }
  launch("attention/attention", {query_tiles(args), args.heads, pieces_of(args.head_size)}, params);
}

void attention_backward(const AttentionBackwardArgs& args) {
  if (takes_bf16(args)) return attention_mma_backward(args);
  const AttentionArgs& forward = args.forward;
  float* const numbers = vector(args.workspace);
  const Workspace places(args);
  const int64_t distances = args.dby_distance.cols;
  AttentionBackwardParams params = {.forward = params_of(forward),
                                    .dout = in(args.dout),
                                    .dq = out(args.dq),
                                    .dk = out(args.dk),
                                    .dv = out(args.dv),
                                    .ddense = out(args.ddense),
                                    .delta = numbers};
  if (const int64_t strips = strips_of(args); strips > 0) {
    params.distance_parts = {numbers + places.strips, strips / distances, distances, distances};
  }
  const int64_t sequences = params.forward.sequences, pieces = pieces_of(forward.head_size);
  const int64_t tiles = query_tiles(forward);
  launch("attention_backward/attention_delta",
         {divided_up(forward.q.rows * forward.heads * 32, kThreads), 1, 1}, params);
  if (args.ddense) {  // hidden pairs have a gradient of 0
    FillParams zeros = {out(args.ddense), 0};
    flatten(zeros.out);
    launch_elements("elementwise/fill", args.ddense.numel(), zeros);
  }
  if (args.dq || args.ddense || params.distance_parts) {
    launch("attention_backward/attention_queries", {tiles, forward.heads, args.dq ? pieces : 1}, params);
  }
  if (args.dk || args.dv) {
    launch("attention_backward/attention_keys",
           {tile_count(forward.k.rows, sequences), forward.key_heads, pieces}, params);
  }
  const Tables tables = {forward, params};
  if (params.distance_parts) {
    const In parts = {params.distance_parts.data, params.distance_parts.rows, distances, distances};
    launch("attention_tables/attention_strips", {divided_up(distances, kThreads), forward.heads, 1},
           AttentionStripParams{parts, tiles, out(args.dby_distance)});
  } else if (args.dby_distance) {
    tables.add_distances(kOfTerm, distances, forward.by_distance.zero, out(args.dby_distance));
  }
  if (args.dby_query)
    tables.add_slots(kOfQuery, forward.by_query, args.dby_query, numbers + places.query_vectors);
  if (args.dby_key) tables.add_slots(kOfKey, forward.by_key, args.dby_key, numbers + places.key_vectors);
}

}  // namespace locus::kernel::cuda
