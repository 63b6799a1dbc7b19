// T5's relative bias: a learned number for every head and bucket of distances, shared by all layers.
//   score(h, i, j) += table[bucket(j - i), h]           table [buckets, H], by_distance [H, S]
// n = |j - i| has a bucket of its own below half of the buckets, then they widen as its logarithm up to the
// largest distance; all beyond share the last. Two-sided, one half of the buckets is for keys behind and one
// for keys ahead. One-sided, keys ahead share bucket 0 with distance 0. The map is computed in double: one
// rounding down of the logarithm and distances 16, 32 and 64 would fall into the wrong bucket.
// Raffel et al. 2019, arXiv 1910.10683.
#include <algorithm>
#include <array>
#include <cmath>

#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

constexpr std::array kOptions = {
    OptionSpec{.name = "buckets",
               .kind = OptionSpec::Kind::integer,
               .preset = "32",
               .help = "buckets of distances, of both sides together",
               .least = 2,
               .most = 1 << 20},
    OptionSpec{.name = "max_distance",
               .kind = OptionSpec::Kind::integer,
               .preset = "128",
               .help = "from here on all distances share a bucket",
               .least = 2,
               .most = 1 << 30},
    OptionSpec{.name = "sides",
               .kind = OptionSpec::Kind::choice,
               .preset = "auto",
               .help = "whether keys ahead have buckets of their own; auto: unless the model is causal",
               .choices = "auto|one|two"},
};

// The models were trained at 512 tokens with buckets up to distance 128. The 16 buckets of single distances
// need a maximum distance above 16.
constexpr LengthRule kLengthRules[] = {{.option = "max_distance", .value = 128, .length = 512, .least = 32}};

struct Buckets {
  int64_t count = 0;  // of one side
  int64_t max_distance = 0;
  bool two_sided = false;

  int64_t exact() const { return count / 2; }  // distances with a bucket of their own
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

Buckets read(const Geometry& geometry, const Options& options) {
  const std::string& sides = options.choice("sides");
  const bool two_sided = sides == "two" || (sides == "auto" && !geometry.causal);
  const int64_t all = options.integer("buckets");
  const Buckets buckets{two_sided ? all / 2 : all, options.integer("max_distance"), two_sided};
  if (buckets.count < 2 || (two_sided && all % 2 != 0)) {
    fail(Fault::usage, "t5: option buckets is {}, expected an even number of at least 4 for two sides", all);
  }
  if (buckets.max_distance <= buckets.exact()) {
    fail(Fault::usage, "t5: option max_distance is {}, expected more than {}, half of a side's buckets",
         buckets.max_distance, buckets.exact());
  }
  return buckets;
}

class T5 final : public Scheme {
 public:
  T5(const Geometry& geometry, const Options& options, const Scope& scope, const InitRandom& start)
      : buckets_(read(geometry, options)) {
    // As the models were trained: deviation 1/sqrt(C).
    table_ =
        scope.add("table", Initializer(start).normal({options.integer("buckets"), geometry.heads},
                                                     1 / std::sqrt(static_cast<double>(geometry.width))));
  }

  Terms terms(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const Tensor slots = slot_map(span, [&](int64_t d) { return buckets_.of(d); });
    return {.scores = {.by_distance = DistanceTerm{gather_by_head(table_, slots), span.zero()}}};
  }

 private:
  Buckets buckets_;
  Var table_;
};

std::unique_ptr<Scheme> make(const Geometry& geometry, const Options& options, const Scope& scope,
                             const InitRandom& start) {
  return std::make_unique<T5>(geometry, options, scope, start);
}

}  // namespace

extern const SchemeInfo kT5 = {
    .name = "t5",
    .summary = "a learned bias for every head and bucket of distances, shared by all layers",
    .formula = "score(h, i, j) = scale * q_i . k_j + table[bucket(j - i), h]",
    .paper = "Raffel et al. 2019, arXiv 1910.10683",
    .models = "T5, Flan-T5, mT5, ByT5, MPNet",
    .cost = "one addition for every score",
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .length_rules = kLengthRules,
    .make = make,
};

}  // namespace locus
