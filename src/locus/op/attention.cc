#include "locus/op/attention.h"

#include <algorithm>
#include <cmath>

#include "locus/base/checked.h"
#include "locus/kernel/kernels.h"
#include "locus/op/check.h"
#include "locus/op/contiguous.h"
#include "locus/op/sequence_views.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

struct Sizes {
  int64_t heads, key_heads, head_size, queries, keys;
};

void check_rows(Check& check, const char* name, const Tensor& tensor) {
  check.floating(name, tensor);
  check.that(tensor.shape().rank() == 2, Code::bad_shape,
             "{} has shape {}, expected [tokens, heads * head size]", name, tensor.shape());
}

Sizes check_queries(Check& check, const Tensor& q, const AttentionOptions& options) {
  check_rows(check, "q", q);
  const int64_t heads = options.heads, key_heads = options.key_heads == 0 ? heads : options.key_heads;
  check.that(heads > 0 && q.size(1) % heads == 0 && q.size(1) > 0, Code::bad_shape,
             "q has shape {}, expected a last size divisible by {} heads", q.shape(), heads);
  check.that(key_heads > 0 && heads % key_heads == 0, Code::bad_shape,
             "key_heads is {}, expected a divisor of the {} heads", key_heads, heads);
  const int64_t head_size = q.size(1) / heads;
  check.that(head_size <= kernel::kMaxHeadSize, Code::bad_shape, "head size is {}, expected at most {}",
             head_size, kernel::kMaxHeadSize);
  check.that(options.dropout >= 0 && options.dropout < 1, "dropout is {}, expected 0 or more and less than 1",
             options.dropout);
  check.that(options.window >= 0, "window is {}, expected 0 or more (0: no window)", options.window);
  check.that(std::isfinite(options.scale) && options.scale >= 0,
             "scale is {}, expected 0 or more (0: 1 / sqrt(head size))", options.scale);
  check.that(options.cap == 0 || (options.cap >= 1e-6f && options.cap <= 1e6f),
             "cap is {}, expected 1e-6 to 1e6, or 0 (no cap)", options.cap);
  return {heads, key_heads, head_size, q.size(0), 0};
}

void check_packed(Check& check, const Tensor& k, const Tensor& v, Sizes& sizes) {
  check_rows(check, "k", k);
  check_rows(check, "v", v);
  check.shaped("k", k, {k.size(0), sizes.key_heads * sizes.head_size}, "key heads * the head size of q");
  check.shaped("v", v, k.shape(), "the shape of k");
  sizes.keys = k.size(0);
}

void check_rooms(Check& check, std::span<const KeyRoom> rooms, const Sequences& s, Sizes& sizes) {
  check.that(
      s.key_starts && s.key_starts.dtype() == DType::i32 && s.key_starts.numel() == std::ssize(rooms) + 1,
      Code::bad_shape, "got {} rooms, expected one for each sequence of key_starts, i32 [sequences + 1]",
      rooms.size());
  const auto starts = s.key_starts.values();
  for (size_t b = 0; b < rooms.size(); ++b) {
    const int64_t G = sizes.key_heads, D = sizes.head_size, room = rooms[b].room();
    check.that(room >= starts[b + 1] - starts[b], Code::bad_shape,
               "room {} is for {} tokens, expected the {} keys of its sequence", b, room,
               starts[b + 1] - starts[b]);
    if (room == 0) continue;
    constexpr int64_t kBlock = kernel::kRoomBlock;
    check.shaped("keys of a room", rooms[b].keys, {G, room / kBlock, D, kBlock}, "key heads and head size");
    check.shaped("values of a room", rooms[b].values, {G, room, divide_up(D, kBlock) * kBlock},
                 "key heads and head size");
  }
  sizes.keys = starts.back();
}

void check_starts(const Check& check, const char* name, const Indices& starts, int64_t tokens) {
  check.that(starts && starts.dtype() == DType::i32 && starts.shape().rank() == 1 && starts.numel() >= 1,
             Code::bad_shape, "{} is missing or has the wrong dtype or shape, expected i32 [sequences + 1]",
             name);
  const auto values = starts.values();
  check.that(values[0] == 0 && values.back() == tokens && std::ranges::is_sorted(values), Code::bad_shape,
             "{} go from {} to {}, expected to increase from 0 to {} (the number of tokens)", name, values[0],
             values.back(), tokens);
}

// The smallest and largest distance of any query-key pair in the batch, including pairs hidden by a mask.
std::pair<int64_t, int64_t> check_sequences(const Check& check, const Sequences& s, const Sizes& sizes,
                                            const AttentionOptions& options) {
  const bool together = options.causal || options.window > 0;
  check_starts(check, "query_starts", s.query_starts, sizes.queries);
  check_starts(check, "key_starts", s.key_starts, sizes.keys);
  check.that(s.key_starts.numel() == s.query_starts.numel(), Code::bad_shape,
             "query_starts have {} sequences and key_starts {}, expected the same number", s.count(),
             s.key_starts.numel() - 1);
  const auto positions_of = [](const Indices& positions, int64_t tokens) {
    return positions && positions.dtype() == DType::i32 && positions.shape() == Shape{tokens};
  };
  check.that(
      positions_of(s.query_positions, sizes.queries) && positions_of(s.key_positions, sizes.keys),
      Code::bad_shape,
      "positions are missing or have the wrong dtype or shape, expected i32 [{}] for queries and i32 [{}] "
      "for keys",
      sizes.queries, sizes.keys);
  const auto q = s.query_starts.values(), k = s.key_starts.values();
  const auto qp = s.query_positions.values(), kp = s.key_positions.values();
  int64_t least = 0, most = 0;
  for (size_t b = 0; b + 1 < q.size(); ++b) {
    const int64_t queries = q[b + 1] - q[b], keys = k[b + 1] - k[b];
    check.that(keys <= s.longest_keys, "sequence {} has {} keys, expected at most {} (longest_keys)", b, keys,
               s.longest_keys);
    check.that(!together || queries <= keys,
               "sequence {} has {} queries and {} keys, expected at least one key per query for causal or "
               "windowed attention",
               b, queries, keys);
    if (queries == 0 || keys == 0) continue;
    const auto query_positions = qp.subspan(q[b], queries), key_positions = kp.subspan(k[b], keys);
    check.that(!s.contiguous || (rise_by_one(query_positions) && rise_by_one(key_positions)),
               Code::bad_position,
               "positions of sequence {} do not increase by one, expected that for contiguous sequences", b);
    const auto [q_least, q_most] = std::ranges::minmax(query_positions);
    const auto [k_least, k_most] = std::ranges::minmax(key_positions);
    check.that(q_least >= 0 && k_least >= 0, Code::bad_position,
               "sequence {} has position {}, expected 0 or more", b, std::min(q_least, k_least));
    least = std::min(least, int64_t{k_least} - q_most);
    most = std::max(most, int64_t{k_most} - q_least);
  }
  return {least, most};
}

void check_cover(const Check& check, const char* name, int64_t size, int64_t zero,
                 std::pair<int64_t, int64_t> range) {
  check.that(zero >= 0 && zero < size && range.first + zero >= 0 && range.second + zero < size,
             Code::bad_position, "{} covers distances {} to {}, expected at least {} to {}", name, -zero,
             size - 1 - zero, range.first, range.second);
}

void check_slots(Check& check, const char* name, const SlotTerm& term, const Sizes& sizes,
                 std::pair<int64_t, int64_t> range) {
  const Tensor& table = term.table.value();
  check.parameter(name, table);
  check.that(table.shape().rank() == 2 &&
                 (table.size(1) == sizes.head_size || table.size(1) == sizes.heads * sizes.head_size),
             Code::bad_shape, "{} has shape {}, expected [slots, {}] or [slots, {}]", name, table.shape(),
             sizes.head_size, sizes.heads * sizes.head_size);
  check.ids("slots", term.slots, table.size(0), 0, Code::bad_position);
  check.that(term.slots.shape().rank() == 1, Code::bad_shape, "slots have shape {}, expected [distances]",
             term.slots.shape());
  check_cover(check, name, term.slots.numel(), term.zero, range);
}

void check_terms(Check& check, const ScoreTerms& terms, const Sequences& sequences, const Sizes& sizes,
                 std::pair<int64_t, int64_t> range) {
  if (terms.by_distance) {
    const Tensor& table = terms.by_distance->table.value();
    check.parameter("by_distance", table, {sizes.heads, table.shape().cols()}, "one row for every head");
    check_cover(check, "by_distance", table.size(1), terms.by_distance->zero, range);
  }
  if (terms.by_query) check_slots(check, "by_query", *terms.by_query, sizes, range);
  if (terms.by_key) check_slots(check, "by_key", *terms.by_key, sizes, range);
  if (terms.dense) {
    check.parameter("dense", terms.dense.value(), {sizes.heads, pairs(sequences)},
                    "heads, query-key pairs of all sequences");
  }
}

kernel::SlotViews views(const std::optional<SlotTerm>& term) {
  if (!term) return {};
  const Tensor& table = term->table.value();
  return {table.view(), term->slots.view(table.device()), term->zero};
}

// Owns everything that the views in args refer to.
struct Call {
  Var q, k, v, by_distance, by_query, by_key, dense;
  Sequences sequences;
  ScoreTerms terms;
  Tensor out, lse;
  kernel::AttentionArgs args;

  Call(const Var& query, const Sequences& s, const ScoreTerms& t)
      : q(query),
        by_distance(t.by_distance ? t.by_distance->table : Var()),
        by_query(t.by_query ? t.by_query->table : Var()),
        by_key(t.by_key ? t.by_key->table : Var()),
        dense(t.dense),
        sequences(s),
        terms(t),
        out(query.value().like(query.shape())) {}

  std::vector<Var> inputs() const { return {q, k, v, by_distance, by_query, by_key, dense}; }
};

void fill_args(Call& call, const Sizes& sizes, const AttentionOptions& options) {
  const Sequences& s = call.sequences;
  const float scale = call.terms.scale    ? *call.terms.scale
                      : options.scale > 0 ? options.scale
                                          : 1 / std::sqrt(static_cast<float>(sizes.head_size));
  call.args = {
      .q = call.q.value().view(),
      .k = call.k ? call.k.value().view() : View(),
      .v = call.v ? call.v.value().view() : View(),
      .sequences = views_of(s, call.out.device()),
      .heads = sizes.heads,
      .key_heads = sizes.key_heads,
      .head_size = sizes.head_size,
      .scale = scale,
      .cap = options.cap,
      .causal = options.causal,
      .window = std::min(options.window, s.longest_keys),
      .by_query = views(call.terms.by_query),
      .by_key = views(call.terms.by_key),
      .dense = call.dense ? call.dense.value().view() : View(),
      .dropout = options.dropout,
      .seed = options.random.seed(),
      .stream = options.random.stream(),
      .longest = s.longest_keys,
      .out = call.out.view(),
      .lse = call.lse.view(),
  };
  if (call.by_distance)
    call.args.by_distance = {call.by_distance.value().view(), call.terms.by_distance->zero};
}

Tensor gradient_of(const Var& var) { return var.wants_grad() ? var.value().like(var.shape()) : Tensor(); }

void backward(const Call& call, const Tensor& dy) {
  const Tensor dout = dy.contiguous() ? dy : dy.clone();
  const std::vector<Var> inputs = call.inputs();
  std::vector<Tensor> gradients;
  for (const Var& input : inputs) gradients.push_back(gradient_of(input));
  kernel::AttentionBackwardArgs args = {.forward = call.args,
                                        .dout = dout.view(),
                                        .dq = gradients[0].view(),
                                        .dk = gradients[1].view(),
                                        .dv = gradients[2].view(),
                                        .dby_distance = gradients[3].view(),
                                        .dby_query = gradients[4].view(),
                                        .dby_key = gradients[5].view(),
                                        .ddense = gradients[6].view()};
  const Kernels& device = kernels(dout.device());
  const Tensor workspace = sums_like(dout, {1, device.attention_backward_workspace(args)});
  args.workspace = workspace.view();
  device.attention_backward(args);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (gradients[i]) inputs[i].accumulate(gradients[i]);
  }
}

void run(const Call& call, kernel::AttentionArgs args) {
  const Kernels& device = kernels(call.out.device());
  const Tensor workspace = sums_like(call.out, {1, device.attention_workspace(args)});
  args.workspace = workspace.view();
  device.attention(args);
}

}  // namespace

Var attention(const Var& q, const Var& k, const Var& v, const Sequences& sequences, const ScoreTerms& terms,
              const AttentionOptions& options) {
  Check check("attention");
  Sizes sizes = check_queries(check, q.value(), options);
  check_packed(check, k.value(), v.value(), sizes);
  check_terms(check, terms, sequences, sizes, check_sequences(check, sequences, sizes, options));
  Call call(q, sequences, terms);
  call.k = k, call.v = v;
  const std::vector<Var> inputs = call.inputs();
  if (recording(inputs)) call.lse = sums_like(call.out, {sizes.queries, sizes.heads});
  fill_args(call, sizes, options);
  run(call, call.args);
  return record(call.out, inputs, [call](const Tensor& dy) { backward(call, dy); });
}

Var attention(const Var& q, std::span<const KeyRoom> rooms, const Sequences& sequences,
              const ScoreTerms& terms, const AttentionOptions& options) {
  Check check("attention");
  Sizes sizes = check_queries(check, q.value(), options);
  check_rooms(check, rooms, sequences, sizes);
  check_terms(check, terms, sequences, sizes, check_sequences(check, sequences, sizes, options));
  Call call(q, sequences, terms);
  check.that(!recording(call.inputs()), "a KV cache cannot record gradients, expected a NoGrad scope");
  std::vector<kernel::RoomViews> views;
  for (const KeyRoom& room : rooms) {
    views.push_back(room.values ? kernel::RoomViews{room.keys.view(), room.values.view()}
                                : kernel::RoomViews());
  }
  fill_args(call, sizes, options);
  call.args.rooms = views;
  run(call, call.args);
  return Var(call.out);
}

}  // namespace locus::op
