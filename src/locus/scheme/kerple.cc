// KERPLE: a conditionally positive definite kernel of the distance, with two learned parameters per head.
//   log     score(h, i, j) -= r1 ln(1 + r2 |i - j|)      r1, r2 > 0
//   power   score(h, i, j) -= r1 |i - j|^r2              r1 > 0, 0 < r2 <= 2
// r1, r2 [H], by_distance [H, S]. As in the authors' code, both parameters are clamped to at least 0.01, and
// the exponent to at most 2. The bias uses the clamped value, but its gradient passes to the parameter
// unchanged (straight-through), so that a parameter outside the range can return to it. Chi, Fan, Ramadge,
// Rudnicky 2022, arXiv 2205.09921.
#include "locus/scheme/kerple.h"

#include "locus/kernel/kernels.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

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
    const Tensor like = r1_.value(), table = like.like({like.numel(), span.size()});
    const auto args = [power = power_, r1 = r1_, r2 = r2_, span] {
      return kernel::DistanceDecayArgs{
          .r1 = r1.value().view(), .r2 = r2.value().view(), .power = power, .least = span.least};
    };
    kernel::DistanceDecayArgs forward = args();
    forward.out = table.view();
    kernels(table.device()).distance_decay(forward);
    return record(table, {r1_, r2_}, [args, r1 = r1_, r2 = r2_](const Tensor& dy) {
      const Tensor dr1 = dy.like(r1.shape()), dr2 = dy.like(r2.shape());
      kernels(dy.device())
          .distance_decay_backward(
              {.forward = args(), .dout = dy.view(), .dr1 = dr1.view(), .dr2 = dr2.view()});
      r1.accumulate(dr1);
      r2.accumulate(dr2);
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
