// DeBERTa's disentangled attention: content meets position in both directions.
//   score(h, i, j) = (q_i . k_j + q_i . K[slot(i - j)] + k_j . Q[slot(i - j)]) / sqrt(D (1 + terms))
//   K = E Wk^T + bk,  Q = E Wq^T + bq,  slot(n) = clamp(bucket(n) + span, 0, 2 span - 1)
// E [2 span, C] is learned, shared by the layers, and normed once in every forward pass where asked. Wq and
// Wk are the layer's own projections of queries and keys with their biases (v2, v3), or projections of
// positions that every layer has beside them (v1). The first term with a table is content to position (c2p,
// by_query), the second position to content (p2c, by_key); the second reads Q at -(j - i), which is the same
// slot. Plain distances (v1): bucket(n) = n, span = the largest distance. Log buckets (v2, v3), mid =
// buckets / 2, span = buckets, m the largest distance:
//   bucket(n) = n for |n| <= mid,  sign(n) (mid + ceil(ln(|n| / mid) / ln((m - 1) / mid) (mid - 1))) beyond
// or, where m - 1 <= mid leaves nothing to spread, the last slot of the side. It is computed in double: one
// rounding up of the logarithm and distance 511 would leave the table of v3.
// He, Liu, Gao, Chen 2020, arXiv 2006.03654; v3: He, Gao, Chen 2021, arXiv 2111.09543.
#include <algorithm>
#include <array>
#include <cmath>

#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/norm.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/kept_tables.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

constexpr std::array kOptions = {
    OptionSpec{.name = "terms",
               .kind = OptionSpec::Kind::choice,
               .preset = "both",
               .help = "content to position, position to content, or both",
               .choices = "both|c2p|p2c"},
    OptionSpec{.name = "buckets",
               .kind = OptionSpec::Kind::integer,
               .preset = "256",
               .help = "log buckets of each side (v2, v3); 0: plain distances (v1)",
               .least = 0,
               .most = 1 << 20},
    OptionSpec{.name = "max_distance",
               .kind = OptionSpec::Kind::integer,
               .preset = "0",
               .help = "the largest distance told apart; 0: the model's maximum length",
               .least = 0,
               .most = 1 << 30},
    OptionSpec{.name = "shared",
               .kind = OptionSpec::Kind::boolean,
               .preset = "true",
               .help = "project positions with the layer's own query and key weights"},
    OptionSpec{.name = "key_bias",
               .kind = OptionSpec::Kind::boolean,
               .preset = "true",
               .help = "own projections: whether that to keys has a bias; not in v1"},
    OptionSpec{.name = "norm",
               .kind = OptionSpec::Kind::boolean,
               .preset = "true",
               .help = "a layer norm on the table, once in every forward pass"},
    OptionSpec{.name = "norm_eps",
               .kind = OptionSpec::Kind::number,
               .preset = "1e-7",
               .help = "eps of that norm",
               .least = 0,
               .most = 1},
};

// DeBERTa v2 and v3 have 256 buckets on each side and are trained at 512 tokens.
constexpr LengthRule kLengthRules[] = {{.option = "buckets", .value = 256, .length = 512, .least = 4}};

struct Distances {
  int64_t buckets = 0;  // 0: plain
  int64_t furthest = 0;

  int64_t span() const { return buckets > 0 ? buckets : furthest; }
  int64_t bucket(int64_t n) const {
    const int64_t mid = buckets / 2;
    if (buckets == 0 || std::abs(n) <= mid) return n;
    if (furthest - 1 <= mid) return n < 0 ? -span() : span();
    const double start = static_cast<double>(mid);
    const double part = std::log(static_cast<double>(std::abs(n)) / start) /
                        std::log(static_cast<double>(furthest - 1) / start) * static_cast<double>(mid - 1);
    return (n < 0 ? -1 : 1) * (mid + static_cast<int64_t>(std::ceil(part)));
  }
  int64_t slot(int64_t n) const { return std::clamp<int64_t>(bucket(n) + span(), 0, 2 * span() - 1); }
};

Distances read(const Geometry& geometry, const Options& options) {
  const int64_t given = options.integer("max_distance"), buckets = options.integer("buckets");
  const Distances distances{buckets, given > 0 ? given : geometry.max_length};
  if (distances.furthest < 1) {
    fail(Fault::usage, "deberta: option max_distance is 0 and the model has no maximum length; give one");
  }
  if (buckets > 0 && buckets < 4) {
    fail(Fault::usage, "deberta: option buckets is {}, expected at least 4, or 0 for plain distances",
         buckets);
  }
  return distances;
}

class Deberta final : public Scheme {
 public:
  Deberta(const Geometry& geometry, const Options& options, const Scope& scope, const InitRandom& start)
      : distances_(read(geometry, options)),
        c2p_(options.choice("terms") != "p2c"),
        p2c_(options.choice("terms") != "c2p"),
        eps_(static_cast<float>(options.number("norm_eps"))) {
    const int64_t terms = 1 + (c2p_ ? 1 : 0) + (p2c_ ? 1 : 0);
    scale_ = static_cast<float>(1 / std::sqrt(static_cast<double>(geometry.head_size * terms)));
    Initializer initial(start);
    table_ = scope.add("table", initial.normal({2 * distances_.span(), geometry.width}, kDeviation));
    if (options.flag("norm")) {
      gamma_ = scope.add("norm.weight", Tensor::full({geometry.width}, 1));
      beta_ = scope.add("norm.bias", Tensor::zeros({geometry.width}));
    }
    if (!options.flag("shared")) add_projections(geometry, options.flag("key_bias"), scope, initial);
  }

  // The table waits in the terms for each layer's projections: of it the rows that these distances meet, or a
  // short sentence would pay for the longest.
  Terms terms(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const bool frozen = !table_.wants_grad() && !gamma_.wants_grad() && !beta_.wants_grad();
    const KeptTables::Rows met =
        kept_.rows(distances_.slot(-span.most), distances_.slot(-span.least), frozen,
                   [this](int64_t first, int64_t last) { return normed(first, last); });
    const Tensor slots = slot_map(span, [&](int64_t d) { return distances_.slot(-d) - met.first; });
    const Var& table = met.table;
    Terms terms{.scores = {.scale = scale_}};
    if (c2p_) terms.scores.by_query = SlotTerm{table, slots, span.zero()};
    if (p2c_) terms.scores.by_key = SlotTerm{table, slots, span.zero()};
    return terms;
  }

  ScoreTerms layer_scores(const Terms& terms, const LayerView& view) const override {
    const LayerView own = layers_.empty() ? view : own_projections(view.layer);
    require((own.key_weight || !c2p_) && (own.query_weight || !p2c_),
            "deberta: layer {} offers no query and key weights to project positions with", view.layer);
    ScoreTerms scores = terms.scores;
    const Var& table = c2p_ ? scores.by_query->table : scores.by_key->table;
    const auto project = [&] {
      return KeptTables::Projected{c2p_ ? op::linear(table, own.key_weight, own.key_bias) : Var(),
                                   p2c_ ? op::linear(table, own.query_weight, own.query_bias) : Var()};
    };
    const KeptTables::Projected made = kept_.projected(own.layer, table, own.frozen, project);
    if (c2p_) scores.by_query->table = made.keys;
    if (p2c_) scores.by_key->table = made.queries;
    return scores;
  }

 private:
  static constexpr double kDeviation = 0.02;

  LayerView own_projections(int64_t layer) const {
    LayerView own = layers_.at(static_cast<size_t>(layer));
    own.frozen = !own.key_weight.wants_grad() && !own.key_bias.wants_grad() &&
                 !own.query_weight.wants_grad() && !own.query_bias.wants_grad();
    return own;
  }
  void add_projections(const Geometry& geometry, bool key_bias, const Scope& scope, Initializer& initial) {
    const int64_t all = geometry.heads * geometry.head_size;
    for (int64_t i = 0; i < geometry.layers; ++i) {
      const Scope layer = scope / fmt::format("layer.{}", i);
      LayerView& own = layers_.emplace_back(LayerView{.layer = i});
      if (c2p_) {
        own.key_weight = layer.add("key.weight", initial.normal({all, geometry.width}, kDeviation));
        if (key_bias) own.key_bias = layer.add("key.bias", Tensor::zeros({all}));
      }
      if (p2c_) {
        own.query_weight = layer.add("query.weight", initial.normal({all, geometry.width}, kDeviation));
        own.query_bias = layer.add("query.bias", Tensor::zeros({all}));
      }
    }
  }

  // Rows of the table for slots first to last.
  Var normed(int64_t first, int64_t last) const {
    const Var rows = op::rows(table_, first, last + 1);
    return gamma_ ? op::layer_norm(rows, gamma_, beta_, eps_) : rows;
  }

  Distances distances_;
  bool c2p_, p2c_;
  float eps_, scale_;
  Var table_, gamma_, beta_;
  std::vector<LayerView> layers_;  // own projections; none when shared
  mutable KeptTables kept_;
};

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope& scope,
                             const InitRandom& start) {
  return std::make_unique<Deberta>(geometry, options, scope, start);
}

}  // namespace

extern const SchemeInfo kDeberta = {
    .name = "deberta",
    .summary = "content meets learned vectors of the distance, from queries and from keys",
    .formula =
        "score(h, i, j) = scale * (q_i . k_j + q_i . K[slot(i - j)] + k_j . Q[slot(i - j)])\n"
        "K = table Wk^T + bk,   Q = table Wq^T + bq,   scale = 1 / sqrt(3 D)",
    .paper = "He, Liu, Gao, Chen 2020, arXiv 2006.03654",
    .models = "DeBERTa v1, v2, v3, mDeBERTa, GLiNER",
    .cost = "two projections of the table in every layer, a product of every query and key with it",
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .length_rules = kLengthRules,
    .make = make,
};

}  // namespace locus
