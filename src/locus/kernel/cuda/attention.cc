#include <vector>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {
namespace {

Slots slots_of(const SlotViews& term, int64_t head_size) {
  return {in(term.table), integers(term.slots), term.zero, term.table.cols == head_size};
}

// The host makes the list of rooms anew for every call; the GPU gets a copy.
const Room* rooms_of(const AttentionArgs& args) {
  if (args.rooms.empty()) return nullptr;
  std::vector<Room> rooms;
  for (const RoomViews& room : args.rooms) rooms.push_back({in(room.keys), in(room.values)});
  void* const copy = scratch(Scratch::rooms, static_cast<int64_t>(rooms.size() * sizeof(Room)));
  locus::cuda::upload(reinterpret_cast<locus::cuda::Address>(copy), std::as_bytes(std::span(rooms)));
  return static_cast<const Room*>(copy);
}

AttentionParams params_of(const AttentionArgs& args) {
  return {.q = in(args.q),
          .k = in(args.k),
          .v = in(args.v),
          .rooms = rooms_of(args),
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

struct Tables {
  const AttentionArgs& args;
  const AttentionBackwardParams& params;

  void add_distances(int what, int64_t distances, int64_t zero, Out sums) const {
    const int64_t pieces = what == kOfTerm ? 1 : divided_up(args.head_size, 128);
    launch("attention_backward/attention_distances", {distances, args.heads, pieces},
           AttentionDistanceParams{params, what, zero, sums});
  }
  void add_slots(int what, const SlotViews& term, View gradient, float* sums) const {
    const int64_t distances = term.slots.cols, rows = args.heads * distances;
    const Out vectors = {sums, rows, args.head_size, args.head_size};
    add_distances(what, distances, term.zero, vectors);
    launch("attention_backward/attention_slots", {gradient.rows, divided_up(gradient.cols, kThreads), 1},
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
  const AttentionArgs& forward = args.forward;
  int64_t numbers = 1 + forward.q.rows * forward.heads;
  if (args.dby_query) numbers += vectors_of(forward, forward.by_query);
  if (args.dby_key) numbers += vectors_of(forward, forward.by_key);
  return numbers;
}

void attention(const AttentionArgs& args) {
  const AttentionParams params = params_of(args);
  launch("attention/attention",
         {tile_count(args.q.rows, params.sequences), args.heads, pieces_of(args.head_size)}, params);
}

void attention_backward(const AttentionBackwardArgs& args) {
  const AttentionArgs& forward = args.forward;
  float* const delta = vector(args.workspace);
  const AttentionBackwardParams params = {.forward = params_of(forward),
                                          .dout = in(args.dout),
                                          .dq = out(args.dq),
                                          .dk = out(args.dk),
                                          .dv = out(args.dv),
                                          .ddense = out(args.ddense),
                                          .delta = delta};
  const int64_t sequences = params.forward.sequences, pieces = pieces_of(forward.head_size);
  launch("attention_backward/attention_delta",
         {divided_up(forward.q.rows * forward.heads * 32, kThreads), 1, 1}, params);
  if (args.ddense) {  // hidden pairs have a gradient of 0
    FillParams zeros = {out(args.ddense), 0};
    flatten(zeros.out);
    launch_elements("elementwise/fill", args.ddense.numel(), zeros);
  }
  if (args.dq || args.ddense) {
    launch("attention_backward/attention_queries",
           {tile_count(forward.q.rows, sequences), forward.heads, args.dq ? pieces : 1}, params);
  }
  if (args.dk || args.dv) {
    launch("attention_backward/attention_keys",
           {tile_count(forward.k.rows, sequences), forward.key_heads, pieces}, params);
  }
  const Tables tables = {forward, params};
  if (args.dby_distance) {
    tables.add_distances(kOfTerm, args.dby_distance.cols, forward.by_distance.zero, out(args.dby_distance));
  }
  float* sums = delta + forward.q.rows * forward.heads;
  if (args.dby_query) {
    tables.add_slots(kOfQuery, forward.by_query, args.dby_query, sums);
    sums += vectors_of(forward, forward.by_query);
  }
  if (args.dby_key) tables.add_slots(kOfKey, forward.by_key, args.dby_key, sums);
}

}  // namespace locus::kernel::cuda
