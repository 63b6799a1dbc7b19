// FIRE: a small network computes the bias from the distance, normalized by the position of the query.
//   score(h, i, j) += f(psi(|i - j|) / (psi(max(L, i)) + eps))_h,   psi(x) = ln(|c x| + 1)
//   f(x) = W2 relu(W1 x + b1) + b2
// c and L > 0 are learned scalars; as in the authors' code, L is stored as a multiplier of its initial value.
// W1 [M, 1], b1 [M], W2 [H, M], b2 [H]; i is the position of the query. The bias depends on i, not only on
// the distance, so it is a dense term [H, P], P the number of query-key pairs in all sequences. Li et al.
// 2023, arXiv 2310.04418.
#include "locus/scheme/fire.h"

#include <algorithm>
#include <cmath>

#include "locus/kernel/element.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/scheme/host_table.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

using kernel::at;
using kernel::put;

// The paper trains at 2048 tokens from a threshold of 512. With a threshold above the trained length the
// normalization by the query's position would start only in texts longer than all of training.
constexpr LengthRule kLengthRules[] = {{.option = "threshold", .value = 512, .length = 2048}};
constexpr double kFirstC = 0.1, kEps = 1e-6;

// For one pair: the input of the network, and its derivatives with respect to c and the multiplier of L.
struct Quotient {
  double value, by_c, by_multiplier;
};
Quotient quotient(double distance, double position, double c, double multiplier, double threshold) {
  const double level = std::abs(multiplier * threshold), reach = std::max(position, level);
  const double top = std::log1p(std::abs(c * distance)), bottom = std::log1p(std::abs(c * reach)) + kEps;
  // d ln(|c| x + 1) by c and by x, x >= 0
  const double sign = c < 0 ? -1 : 1;
  const auto by_c = [&](double x) { return sign * x / (std::abs(c) * x + 1); };
  const double bottom_by_reach = std::abs(c) / (std::abs(c) * reach + 1);
  const double reach_by_multiplier = level > position ? (multiplier < 0 ? -threshold : threshold) : 0;
  const double by_bottom = -top / (bottom * bottom);
  return {top / bottom, by_c(distance) / bottom + by_bottom * by_c(reach),
          by_bottom * bottom_by_reach * reach_by_multiplier};
}

// Calls f(|i - j|, i) for every pair of query and key, in the order of the dense term.
template <class F>
void each_pair(const Sequences& s, F f) {
  const auto query_starts = s.query_starts.values(), key_starts = s.key_starts.values();
  const auto queries = s.query_positions.values(), keys = s.key_positions.values();
  for (size_t b = 0; b + 1 < query_starts.size(); ++b) {
    for (auto i = static_cast<size_t>(query_starts[b]); i < static_cast<size_t>(query_starts[b + 1]); ++i) {
      for (auto j = static_cast<size_t>(key_starts[b]); j < static_cast<size_t>(key_starts[b + 1]); ++j) {
        f(std::abs(static_cast<double>(queries[i]) - keys[j]), static_cast<double>(queries[i]));
      }
    }
  }
}

class FireScheme final : public Scheme {
 public:
  FireScheme(const Geometry& geometry, const Fire& options, const Scope& scope, const InitRandom& random)
      : threshold_(options.threshold) {
    const int64_t M = options.hidden, H = geometry.heads;
    // As PyTorch initializes the linear layers of the authors' code: uniform within 1 / sqrt(inputs).
    const double limit = 1 / std::sqrt(static_cast<double>(M));
    Initializer initial(random);
    c_ = scope.add("c", Tensor::full({1}, static_cast<float>(kFirstC)), Role::gain);
    multiplier_ = scope.add("multiplier", Tensor::full({1}, 1), Role::gain);
    first_weight_ = scope.add("first.weight", initial.uniform({M, 1}, -1, 1), Role::matrix);
    first_bias_ = scope.add("first.bias", initial.uniform({M}, -1, 1), Role::bias);
    second_weight_ = scope.add("second.weight", initial.uniform({H, M}, -limit, limit), Role::matrix);
    second_bias_ = scope.add("second.bias", initial.uniform({H}, -limit, limit), Role::bias);
  }

  SchemePass begin(const Placement& placement) const override {
    const Var x = quotients(placement);
    const Var hidden = op::linear(x, first_weight_, first_bias_, Activation::relu);  // [P, M]
    const Var bias = op::reshape(second_bias_, {second_bias_.shape()[0], 1});
    const Tensor ones = Tensor::full({x.shape()[0], 1}, 1, x.value().dtype(), x.value().device());
    const Var dense = op::add(op::matmul(second_weight_, hidden, false, true),
                              op::matmul(bias, Var(ones), false, true));  // [H, P]
    return ScoreTerms{.dense = dense};
  }

 private:
  // [P, 1]
  Var quotients(const Placement& placement) const {
    const Sequences sequences = placement.sequences();
    const double factor = at(c_.value().on_host().view(), 0);
    const double level = at(multiplier_.value().on_host().view(), 0);
    const auto of = [=, threshold = threshold_](double n, double position) {
      return quotient(n, position, factor, level, threshold);
    };
    int64_t pairs = 0;
    each_pair(sequences, [&](double, double) { ++pairs; });
    const Tensor out = host_table(c_.value(), {pairs, 1});
    int64_t p = 0;
    each_pair(sequences, [&](double n, double i) { put(out.view(), p++, 0, of(n, i).value); });
    const Tensor there = out.on(c_.value().device());
    return record(there, {c_, multiplier_}, [=, c = c_, multiplier = multiplier_](const Tensor& dy) {
      const Tensor given = dy.on_host();
      double dc = 0, dmultiplier = 0;
      int64_t pair = 0;
      each_pair(sequences, [&](double n, double i) {
        const Quotient slope = of(n, i);
        const double g = at(given.view(), pair++, 0);
        dc += g * slope.by_c;
        dmultiplier += g * slope.by_multiplier;
      });
      const Tensor to_c = host_table(dy, {1}), to_multiplier = host_table(dy, {1});
      put(to_c.view(), 0, dc);
      put(to_multiplier.view(), 0, dmultiplier);
      c.accumulate(to_c.on(dy.device()));
      multiplier.accumulate(to_multiplier.on(dy.device()));
    });
  }

  double threshold_;
  Var c_, multiplier_, first_weight_, first_bias_, second_weight_, second_bias_;
};

}  // namespace

extern const SchemeInfo kFire = {
    .name = "fire",
    .summary = "adds a bias that a small network computes from the distance relative to the query position",
    .aliases = "functional interpolation",
    .formula =
        "score(h, i, j) = scale * q_i . k_j + f(psi(|i - j|) / psi(max(L, i)))_h\n"
        "psi(x) = ln(c x + 1),   f a network with one hidden layer",
    .paper = "Li et al. 2023, arXiv 2310.04418",
    .models = "the models of the paper",
    .cost = "length x length: the network runs for every pair of query and key",
    .relative = false,
    .extrapolates = true,
    .options = option_specs<Fire>,
    .length_rules = kLengthRules,
    .make = make_typed<FireScheme, Fire>,
};

}  // namespace locus
