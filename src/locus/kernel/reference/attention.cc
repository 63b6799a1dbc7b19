#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "locus/base/random.h"
#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {
namespace {

// One sequence of the batch: its tokens, and the start of its block of pairs in a dense term.
struct Span {
  int64_t b, q, q_count, k, k_count, pair;
};

template <class F>
void each_sequence(const SequenceViews& sequences, F&& f) {
  const int32_t* q = sequences.query_starts.as<int32_t>();
  const int32_t* k = sequences.key_starts.as<int32_t>();
  int64_t pair = 0;
  for (int64_t b = 0; b + 1 < sequences.query_starts.cols; ++b) {
    const Span span = {b, q[b], q[b + 1] - q[b], k[b], k[b + 1] - k[b], pair};
    f(span);
    pair += span.q_count * span.k_count;
  }
}

// The score of one pair, and everything its gradient needs.
class Pair {
 public:
  Pair(const AttentionArgs& args, const Span& span, int64_t head, int64_t i, int64_t j)
      : a(args),
        h(head),
        b(span.b),
        q_row(span.q + i),
        k_row(span.k + j),
        dense(span.pair + i * span.k_count + j),
        j_in(j) {
    d = a.sequences.key_positions.as<int32_t>()[k_row] - a.sequences.query_positions.as<int32_t>()[q_row];
  }

  int64_t key_head() const { return h / (a.heads / a.key_heads); }
  int64_t key_column() const { return key_head() * a.head_size; }
  int64_t query_column() const { return h * a.head_size; }
  int64_t slot(const SlotViews& term) const { return term.slots.as<int32_t>()[d + term.zero]; }
  int64_t slot_column(const SlotViews& term) const {
    return term.table.cols == a.head_size ? 0 : query_column();
  }

  // Component c of the key and of the value.
  double key(int64_t c) const {
    if (a.rooms.empty()) return at(a.k, k_row, key_column() + c);
    const ConstView keys = a.rooms[static_cast<size_t>(b)].keys;
    const int64_t first = keys.rows / a.key_heads * key_head() + j_in / kRoomBlock * a.head_size;
    return at(keys, first + c, j_in % kRoomBlock);
  }
  double value(int64_t c) const {
    if (a.rooms.empty()) return at(a.v, k_row, key_column() + c);
    const ConstView values = a.rooms[static_cast<size_t>(b)].values;
    return at(values, values.rows / a.key_heads * key_head() + j_in, c);
  }

  double score() const {
    double dot = 0;
    for (int64_t c = 0; c < a.head_size; ++c) {
      const double q = at(a.q, q_row, query_column() + c), k = key(c);
      dot += q * k;
      if (a.by_query.table) dot += q * at(a.by_query.table, slot(a.by_query), slot_column(a.by_query) + c);
      if (a.by_key.table) dot += k * at(a.by_key.table, slot(a.by_key), slot_column(a.by_key) + c);
    }
    double sum = static_cast<double>(a.scale) * dot;
    if (a.by_distance.table) sum += at(a.by_distance.table, h, d + a.by_distance.zero);
    if (a.dense) sum += at(a.dense, h, dense);
    const double cap = a.cap;
    return cap == 0 || sum == -std::numeric_limits<double>::infinity() ? sum : cap * std::tanh(sum / cap);
  }
  // Derivative of the capped score with respect to the sum before the cap; 0 for a hidden key.
  double slope() const {
    const double part = a.cap == 0 ? 0 : std::max(score() / static_cast<double>(a.cap), -1.0);
    return 1 - part * part;
  }
  // The factor that dropout applies to the weight.
  double dropout_factor() const {
    if (a.dropout == 0) return 1;
    const auto number = static_cast<uint64_t>((h * a.q.rows + q_row) * a.longest + j_in);
    const bool keep = Random(a.seed, a.stream).half(number) >= dropout_threshold(a.dropout);
    return keep ? 1 / (1 - static_cast<double>(a.dropout)) : 0;
  }

  const AttentionArgs& a;
  int64_t h, b, q_row, k_row, dense, j_in, d = 0;
};

// Calls f(pair) for the keys that query i of head h sees.
template <class F>
void each_key(const AttentionArgs& args, const Span& span, int64_t h, int64_t i, F&& f) {
  const int64_t own = i + span.k_count - span.q_count;
  for (int64_t j = 0; j < span.k_count; ++j) {
    const bool early = !args.causal || j <= own, near = args.window == 0 || std::abs(own - j) < args.window;
    if (early && near) f(Pair(args, span, h, i, j));
  }
}

// Sums in double, which end in a view when they are complete: its dtype may not hold them before.
class Sums {
 public:
  explicit Sums(View to) : to_(to), sums_(to ? static_cast<size_t>(to.numel()) : 0) {}
  ~Sums() {
    if (to_) each(to_, [&](int64_t r, int64_t c) { put(to_, r, c, sums_[index(r, c)]); });
  }
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  void add(int64_t r, int64_t c, double value) {
    if (to_) sums_[index(r, c)] += value;
  }

 private:
  size_t index(int64_t r, int64_t c) const { return static_cast<size_t>(r * to_.cols + c); }

  View to_;
  std::vector<double> sums_;
};

struct Gradients {
  explicit Gradients(const AttentionBackwardArgs& args)
      : q(args.dq),
        k(args.dk),
        v(args.dv),
        by_distance(args.dby_distance),
        by_query(args.dby_query),
        by_key(args.dby_key),
        dense(args.ddense) {}
  Sums q, k, v, by_distance, by_query, by_key, dense;
};

// Propagates the gradient ds of one score to everything the score was computed from.
void propagate(const AttentionArgs& a, const Pair& p, double ds, Gradients& to) {
  const double scaled = ds * static_cast<double>(a.scale);
  for (int64_t c = 0; c < a.head_size; ++c) {
    const double q = at(a.q, p.q_row, p.query_column() + c), k = at(a.k, p.k_row, p.key_column() + c);
    double to_q = k, to_k = q;
    if (a.by_query.table) {
      const int64_t slot = p.slot(a.by_query), column = p.slot_column(a.by_query) + c;
      to_q += at(a.by_query.table, slot, column);
      to.by_query.add(slot, column, scaled * q);
    }
    if (a.by_key.table) {
      const int64_t slot = p.slot(a.by_key), column = p.slot_column(a.by_key) + c;
      to_k += at(a.by_key.table, slot, column);
      to.by_key.add(slot, column, scaled * k);
    }
    to.q.add(p.q_row, p.query_column() + c, scaled * to_q);
    to.k.add(p.k_row, p.key_column() + c, scaled * to_k);
  }
  to.by_distance.add(p.h, p.d + a.by_distance.zero, ds);
  to.dense.add(p.h, p.dense, ds);
}

}  // namespace

int64_t attention_workspace(const AttentionArgs&) { return 1; }
int64_t attention_backward_workspace(const AttentionBackwardArgs&) { return 1; }

void attention(const AttentionArgs& args) {
  std::vector<double> out(static_cast<size_t>(args.head_size));
  each_sequence(args.sequences, [&](const Span& span) {
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t i = 0; i < span.q_count; ++i) {
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        std::ranges::fill(out, 0);
        each_key(args, span, h, i, [&](const Pair& p) { largest = std::max(largest, p.score()); });
        // A dense term may hide every key; that query attends to nothing, like a query without keys.
        if (largest == -std::numeric_limits<double>::infinity()) largest = 0;
        each_key(args, span, h, i, [&](const Pair& p) {
          const double e = std::exp(p.score() - largest), weight = e * p.dropout_factor();
          sum += e;
          for (size_t c = 0; c < out.size(); ++c) out[c] += weight * p.value(static_cast<int64_t>(c));
        });
        const int64_t row = span.q + i;
        for (int64_t c = 0; c < args.head_size; ++c) {
          const double total = out[static_cast<size_t>(c)];
          put(args.out, row, h * args.head_size + c, sum > 0 ? total / sum : total);
        }
        if (args.lse) put(args.lse, row, h, largest + std::log(sum));
      }
    }
  });
}

void attention_backward(const AttentionBackwardArgs& args) {
  Gradients gradients(args);
  const AttentionArgs& a = args.forward;
  each_sequence(a.sequences, [&](const Span& span) {
    for (int64_t h = 0; h < a.heads; ++h) {
      for (int64_t i = 0; i < span.q_count; ++i) {
        const int64_t row = span.q + i, column = h * a.head_size;
        if (at(a.lse, row, h) == -std::numeric_limits<double>::infinity()) continue;  // the query saw no key
        double out_dot = 0;
        for (int64_t c = column; c < column + a.head_size; ++c)
          out_dot += at(args.dout, row, c) * at(a.out, row, c);
        each_key(a, span, h, i, [&](const Pair& p) {
          const double weight = std::exp(p.score() - at(a.lse, row, h)), dropout = p.dropout_factor();
          double dweight = 0;
          for (int64_t c = 0; c < a.head_size; ++c) {
            const double dout = at(args.dout, row, column + c);
            dweight += dropout * dout * at(a.v, p.k_row, p.key_column() + c);
            gradients.v.add(p.k_row, p.key_column() + c, weight * dropout * dout);
          }
          propagate(a, p, weight * (dweight - out_dot) * p.slope(), gradients);
        });
      }
    }
  });
}

}  // namespace locus::kernel::reference
