// KERPLE: a conditionally positive definite kernel of the distance, with two learned parameters per head.
//   log     score(h, i, j) -= r1 ln(1 + r2 |i - j|)      r1, r2 > 0
//   power   score(h, i, j) -= r1 |i - j|^r2              r1 > 0, 0 < r2 <= 2
// r1, r2 [H], by_distance [H, S]. As in the authors' code, both parameters are clamped to at least 0.01, and
// the exponent to at most 2. The bias uses the clamped value, but its gradient passes to the parameter
// unchanged (straight-through), so that a parameter outside the range can return to it. Chi, Fan, Ramadge,
// Rudnicky 2022, arXiv 2205.09921.
#include "locus/scheme/kerple.h"

#include <algorithm>
#include <cmath>

#include "locus/kernel/element.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/host_table.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

using kernel::at;
using kernel::put;

constexpr double kLeast = 0.01;

// The bias of distance n >= 0 and its derivatives by r1 and r2.
struct Bias {
  double value, by_r1, by_r2;
};
Bias bias(bool power, double r1, double r2, double n) {
  if (!power) return {-r1 * std::log1p(r2 * n), -std::log1p(r2 * n), -r1 * n / (1 + r2 * n)};
  if (n == 0) return {0, 0, 0};
  const double raised = std::pow(n, r2);
  return {-r1 * raised, -raised, -r1 * raised * std::log(n)};
}

class KerpleScheme final : public Scheme {
 public:
  KerpleScheme(const Geometry& geometry, const Kerple& options, const Scope& scope, const InitRandom& random)
      : power_(options.form == Kerple::Form::power) {
    Initializer initial(random);
    // As in the authors' code: r1 of the log form and r2 of the power form are uniform in [0, 2), the other
    // two in [0, 1).
    r1_ = scope.add("r1", initial.uniform({geometry.heads}, 0, power_ ? 1 : 2), Role::gain);
    r2_ = scope.add("r2", initial.uniform({geometry.heads}, 0, power_ ? 2 : 1), Role::gain);
  }

  SchemePass begin(const Placement& placement) const override {
    const bool frozen = !r1_.wants_grad() && !r2_.wants_grad();
    const auto table = [this](const DistanceSpan& span) { return biases(span); };
    return ScoreTerms{.by_distance = cache_.find(placement, frozen, table)};
  }

 private:
  // [H, S]
  Var biases(const DistanceSpan& span) const {
    const auto of = [power = power_, r1 = r1_.value().on_host(), r2 = r2_.value().on_host()](int64_t h,
                                                                                             int64_t d) {
      const double a = std::max(at(r1.view(), h), kLeast);
      const double b = std::max(at(r2.view(), h), kLeast);
      return bias(power, a, power ? std::min(b, 2.0) : b, static_cast<double>(std::abs(d)));
    };
    const int64_t heads = r1_.shape()[0];
    const Tensor table =
        distance_table(span, r1_.value(), heads, [&](int64_t h, int64_t d) { return of(h, d).value; });
    return record(table, {r1_, r2_}, [=, r1 = r1_, r2 = r2_](const Tensor& dy) {
      const Tensor given = dy.on_host();
      const Tensor dr1 = host_table(dy, {heads}), dr2 = host_table(dy, {heads});
      for (int64_t h = 0; h < heads; ++h) {
        double sum1 = 0, sum2 = 0;
        for (int64_t d = span.least; d <= span.most; ++d) {
          const Bias slope = of(h, d);
          const double g = at(given.view(), h, d - span.least);
          sum1 += g * slope.by_r1;
          sum2 += g * slope.by_r2;
        }
        put(dr1.view(), h, sum1);
        put(dr2.view(), h, sum2);
      }
      r1.accumulate(dr1.on(dy.device()));
      r2.accumulate(dr2.on(dy.device()));
    });
  }

  bool power_;
  Var r1_, r2_;
  mutable DistanceCache cache_;
};

}  // namespace

extern const SchemeInfo kKerple = {
    .name = "kerple",
    .summary = "subtracts a logarithm or power of the distance from the scores, learned per head",
    .formula =
        "log:    score(h, i, j) = scale * q_i . k_j - r1(h) ln(1 + r2(h) |i - j|)\n"
        "power:  score(h, i, j) = scale * q_i . k_j - r1(h) |i - j|^r2(h)",
    .paper = "Chi, Fan, Ramadge, Rudnicky 2022, arXiv 2205.09921",
    .models = "the GPT-NeoX models of the paper",
    .cost = "2 parameters per head; one addition per attention score",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<Kerple>,
    .make = make_typed<KerpleScheme, Kerple>,
};

}  // namespace locus
