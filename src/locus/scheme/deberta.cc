// Disentangled attention of DeBERTa: scores between content and position, in both directions.
//   score(h, i, j) = (q_i . k_j + q_i . K[slot(i - j)] + k_j . Q[slot(i - j)]) / sqrt(D (1 + terms))
//   K = E Wk^T + bk,  Q = E Wq^T + bq,  slot(n) = clamp(bucket(n) + span, 0, 2 span - 1)
// E [2 span, C] is learned and shared by the layers. With option norm it goes through a layer norm once per
// forward pass. Wq and Wk are the layer's own query and key projections with their biases (v2, v3), or
// separate projections for positions in every layer (v1). The first term with a table is content to position
// (c2p, by_query), the second is position to content (p2c, by_key); the second reads Q at -(j - i), which is
// the same slot. Plain distances (v1): bucket(n) = n, span = the largest distance. Log buckets (v2, v3), with
// mid = buckets / 2, span = buckets, m the largest distance:
//   bucket(n) = n for |n| <= mid,  sign(n) (mid + ceil(ln(|n| / mid) / ln((m - 1) / mid) (mid - 1))) beyond
// If m - 1 <= mid, all distances beyond mid get the last slot of their side. Buckets are computed in double:
// a logarithm rounded up by one ulp would put distance 511 outside the table of v3. He, Liu, Gao, Chen 2020,
// arXiv 2006.03654; v3: He, Gao, Chen 2021, arXiv 2111.09543.
#include "locus/scheme/deberta.h"

#include <algorithm>
#include <cmath>

#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/norm.h"
#include "locus/scheme/cached_tables.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// DeBERTa v2 and v3 have 256 buckets on each side and are trained at 512 tokens.
// The largest distance is one less than the trained length: distances beyond it share a slot with the last
// one before the query, which training must reach.
constexpr LengthRule kDebertaLengthRules[] = {
    {.option = "buckets", .value = 256, .length = 512, .least = 4},
    {.option = "max_distance", .value = 511, .length = 512},
};

struct Distances {
  int64_t buckets = 0;  // 0: one slot per distance
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

Distances distances_of(const Geometry& geometry, const Deberta& options) {
  const int64_t given = options.max_distance, buckets = options.buckets;
  const Distances distances{buckets, given > 0 ? given : geometry.max_length};
  if (distances.furthest < 1) {
    fail(Fault::usage,
         "scheme deberta: option max_distance is 0 and max_length of the model is unknown, expected one of "
         "them");
  }
  if (buckets > 0 && buckets < 4) {
    fail(Fault::usage,
         "scheme deberta: option buckets is {}, expected at least 4, or 0 for one slot per distance",
         buckets);
  }
  return distances;
}

class DebertaScheme final : public Scheme {
 public:
  DebertaScheme(const Geometry& geometry, const Deberta& options, const Scope& scope,
                const InitRandom& random)
      : distances_(distances_of(geometry, options)),
        c2p_(options.terms != Deberta::ScoreParts::p2c),
        p2c_(options.terms != Deberta::ScoreParts::c2p),
        eps_(static_cast<float>(options.norm_eps)) {
    const int64_t terms = 1 + (c2p_ ? 1 : 0) + (p2c_ ? 1 : 0);
    scale_ = static_cast<float>(1 / std::sqrt(static_cast<double>(geometry.head_size * terms)));
    Initializer initial(random);
    table_ =
        scope.add("table", initial.normal({2 * distances_.span(), geometry.width}, kInitStd), Role::table);
    if (options.norm) {
      gamma_ = scope.add("norm.weight", Tensor::full({geometry.width}, 1), Role::gain);
      beta_ = scope.add("norm.bias", Tensor::zeros({geometry.width}), Role::bias);
    }
    if (!options.shared) add_projections(geometry, options.key_bias, scope, initial);
  }

  // The pass has only the rows of the table that its distances need, so that a short sentence does not pay
  // for the longest one.
  SchemePass begin(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const bool frozen = !table_.wants_grad() && !gamma_.wants_grad() && !beta_.wants_grad();
    const CachedTables::Rows met =
        cache_.rows(distances_.slot(-span.most), distances_.slot(-span.least), frozen,
                    [this](int64_t first, int64_t last) { return normed(first, last); });
    const Indices slots = slot_map(span, [&](int64_t d) { return distances_.slot(-d) - met.first; });
    return SchemePass([this, rows = SlotTerm{met.table, slots, span.zero()}](const LayerView& view) {
      return scores(rows, view);
    });
  }

 private:
  static constexpr double kInitStd = 0.02;

  // The scores of a layer, which projects the rows of the table with its weights.
  ScoreTerms scores(const SlotTerm& rows, const LayerView& view) const {
    const LayerView own = layers_.empty() ? view : own_projections(view);
    require((own.key_weight || !c2p_) && (own.query_weight || !p2c_),
            "scheme deberta: layer {} has no query and key weights to project positions with", view.layer);
    const auto project = [&] {
      return CachedTables::Projected{c2p_ ? op::linear(rows.table, own.key_weight, own.key_bias) : Var(),
                                     p2c_ ? op::linear(rows.table, own.query_weight, own.query_bias) : Var()};
    };
    const CachedTables::Projected made = cache_.projected(own.layer, rows.table, own.frozen, project);
    ScoreTerms scores{.scale = scale_};
    if (c2p_) scores.by_query = SlotTerm{made.keys, rows.slots, rows.zero};
    if (p2c_) scores.by_key = SlotTerm{made.queries, rows.slots, rows.zero};
    return scores;
  }

  LayerView own_projections(const LayerView& view) const {
    LayerView own = part_of(layers_, view);
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
        own.key_weight =
            layer.add("key.weight", initial.normal({all, geometry.width}, kInitStd), Role::matrix);
        if (key_bias) own.key_bias = layer.add("key.bias", Tensor::zeros({all}), Role::bias);
      }
      if (p2c_) {
        own.query_weight =
            layer.add("query.weight", initial.normal({all, geometry.width}, kInitStd), Role::matrix);
        own.query_bias = layer.add("query.bias", Tensor::zeros({all}), Role::bias);
      }
    }
  }

  // Rows first to last of the table, after the norm.
  Var normed(int64_t first, int64_t last) const {
    const Var rows = op::rows(table_, first, last + 1);
    return gamma_ ? op::layer_norm(rows, gamma_, beta_, eps_) : rows;
  }

  Distances distances_;
  bool c2p_, p2c_;
  float eps_, scale_;
  Var table_, gamma_, beta_;
  std::vector<LayerView> layers_;  // separate projections of positions; empty if shared
  mutable CachedTables cache_;
};

}  // namespace

extern const SchemeInfo kDeberta = {
    .name = "deberta",
    .summary = "disentangled attention: also scores queries and keys against learned distance vectors",
    .aliases = "disentangled attention, disentangled",
    .formula =
        "score(h, i, j) = scale * (q_i . k_j + q_i . K[slot(i - j)] + k_j . Q[slot(i - j)])\n"
        "K = table Wk^T + bk,   Q = table Wq^T + bq,   scale = 1 / sqrt(3 D)",
    .paper = "He, Liu, Gao, Chen 2020, arXiv 2006.03654",
    .models = "DeBERTa v1, v2, v3, mDeBERTa, GLiNER",
    .cost = "two projections of the table in every layer, and the product of every query and key with it",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<Deberta>,
    .length_rules = kDebertaLengthRules,
    .make = make_typed<DebertaScheme, Deberta>,
};

}  // namespace locus
