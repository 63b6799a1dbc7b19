// The relative bias of T5: a learned number per head and distance bucket, shared by all layers.
//   score(h, i, j) += table[bucket(j - i), h]           table [buckets, H], by_distance [H, S]
// With n = |j - i|, each small n (below half of the buckets) has its own bucket. From there on the buckets
// widen logarithmically up to max_distance; all larger distances share the last bucket. Two-sided: one half
// of the buckets is for keys before the query, the other for keys after it. One-sided: keys after the query
// share bucket 0 with distance 0. The map is computed in double, because a logarithm rounded down by one ulp
// would put distances 16, 32 and 64 into the wrong bucket. Raffel et al. 2019, arXiv 1910.10683.
#include "locus/scheme/t5.h"

#include <algorithm>
#include <cmath>

#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// The models were trained at 512 tokens with buckets up to distance 128. The 16 buckets of single distances
// need a maximum distance above 16.
constexpr LengthRule kT5LengthRules[] = {
    {.option = "max_distance", .value = 128, .length = 512, .least = 32}};

struct Buckets {
  int64_t count = 0;  // buckets per side
  int64_t max_distance = 0;
  bool two_sided = false;

  int64_t exact() const { return count / 2; }  // number of distances with their own bucket
  int64_t of(int64_t distance) const {
    const int64_t first = two_sided && distance > 0 ? count : 0;
    const int64_t n = two_sided ? std::abs(distance) : std::max<int64_t>(-distance, 0);
    if (n < exact()) return first + n;
    const double start = static_cast<double>(exact());
    const double part = std::log(static_cast<double>(n) / start) /
                        std::log(static_cast<double>(max_distance) / start) *
                        static_cast<double>(count - exact());
    return first + exact() + static_cast<int64_t>(std::min(part, static_cast<double>(count - 1 - exact())));
  }
};

Buckets buckets_of(const Geometry& geometry, const T5& options) {
  const bool two_sided =
      options.sides == T5::Sides::two || (options.sides == T5::Sides::automatic && !geometry.causal);
  const int64_t all = options.buckets;
  const Buckets buckets{two_sided ? all / 2 : all, options.max_distance, two_sided};
  if (buckets.count < 2 || (two_sided && all % 2 != 0)) {
    fail(Fault::usage, "scheme t5: option buckets is {}, expected an even number of at least 4 for two sides",
         all);
  }
  if (buckets.max_distance <= buckets.exact()) {
    fail(Fault::usage,
         "scheme t5: option max_distance is {}, expected more than {}, half of the buckets per side",
         buckets.max_distance, buckets.exact());
  }
  return buckets;
}

class T5Scheme final : public Scheme {
 public:
  T5Scheme(const Geometry& geometry, const T5& options, const Scope& scope, const InitRandom& random)
      : buckets_(buckets_of(geometry, options)) {
    // As in the released models: standard deviation 1/sqrt(C).
    const double std = 1 / std::sqrt(static_cast<double>(geometry.width));
    table_ =
        scope.add("table", Initializer(random).normal({options.buckets, geometry.heads}, std), Role::table);
  }

  SchemePass begin(const Placement& placement) const override {
    const auto table = [this](const DistanceSpan& span) {
      return gather_by_head(table_, slot_map(span, [this](int64_t d) { return buckets_.of(d); }));
    };
    return ScoreTerms{.by_distance = cache_.find(placement, !table_.wants_grad(), table)};
  }

 private:
  Buckets buckets_;
  Var table_;
  mutable DistanceCache cache_;
};

}  // namespace

extern const SchemeInfo kT5 = {
    .name = "t5",
    .summary = "adds a learned bias per head and distance bucket to the scores, shared by all layers",
    .aliases = "T5 bias, T5 relative bias, relative bias, relative position bias",
    .formula = "score(h, i, j) = scale * q_i . k_j + table[bucket(j - i), h]",
    .paper = "Raffel et al. 2019, arXiv 1910.10683",
    .models = "T5, Flan-T5, mT5, ByT5, MPNet",
    .cost = "one addition per attention score",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<T5>,
    .length_rules = kT5LengthRules,
    .make = make_typed<T5Scheme, T5>,
};

}  // namespace locus
