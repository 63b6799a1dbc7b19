// FIRE: a small network computes the bias from the distance, normalized by the position of the query.
//   score(h, i, j) += f(psi(|i - j|) / (psi(max(L, i)) + eps))_h,   psi(x) = ln(|c x| + 1)
//   f(x) = W2 relu(W1 x + b1) + b2
// c and L > 0 are learned scalars; as in the authors' code, L is stored as a multiplier of its initial value.
// W1 [M, 1], b1 [M], W2 [H, M], b2 [H]; i is the position of the query. The bias depends on i, not only on
// the distance, so it is a dense term [H, P], P the number of query-key pairs in all sequences. Li et al.
// 2023, arXiv 2310.04418.
#include "locus/scheme/fire.h"

#include <cmath>

#include "locus/kernel/kernels.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/sequence_views.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// The paper trains at 2048 tokens from a threshold of 512. With a threshold above the trained length the
// normalization by the query's position would start only in texts longer than all of training.
constexpr LengthRule kFireLengthRules[] = {{.option = "threshold", .value = 512, .length = 2048}};
constexpr double kFirstC = 0.1;

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
    const Tensor like = c_.value(), out = like.like({op::pairs(placement.sequences()), 1});
    const auto args = [c = c_, multiplier = multiplier_, threshold = threshold_,
                       sequences = placement.sequences()] {
      return kernel::PairQuotientArgs{.c = c.value().view(),
                                      .multiplier = multiplier.value().view(),
                                      .threshold = threshold,
                                      .sequences = op::views_of(sequences, c.value().device())};
    };
    kernel::PairQuotientArgs forward = args();
    forward.out = out.view();
    kernels(out.device()).pair_quotient(forward);
    return record(out, {c_, multiplier_}, [args, c = c_, multiplier = multiplier_](const Tensor& dy) {
      const Tensor dc = dy.like({1}), dmultiplier = dy.like({1});
      kernels(dy.device())
          .pair_quotient_backward(
              {.forward = args(), .dout = dy.view(), .dc = dc.view(), .dmultiplier = dmultiplier.view()});
      c.accumulate(dc);
      multiplier.accumulate(dmultiplier);
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
    .length_rules = kFireLengthRules,
    .make = make_typed<FireScheme, Fire>,
};

}  // namespace locus
