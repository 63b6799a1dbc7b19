#include "locus/op/cross_entropy.h"

#include "locus/kernel/kernels.h"
#include "locus/op/aligned_rows.h"
#include "locus/op/check.h"
#include "locus/op/sums.h"

namespace locus::op {
namespace {

// The sum of the targets' weights, the divisor of the mean.
double weight_of(const Indices& targets, const Tensor& weights) {
  const std::vector<float> of = weights ? weights.values() : std::vector<float>();
  double total = 0;
  for (const int32_t target : targets.values()) {
    if (target == kernel::kIgnoredTarget) continue;
    total += weights ? of[static_cast<size_t>(target)] : 1;
  }
  return total;
}

}  // namespace

Var cross_entropy(const Var& logits, const Indices& targets, const CrossEntropyOptions& options) {
  Check check("cross_entropy");
  check.rank_at_least("logits", logits, 1);
  const int64_t N = logits.shape().rows(), V = logits.shape().cols();
  check.ids("targets", targets, V, kernel::kIgnoredTarget);
  const Shape expected(logits.shape().sizes().first(static_cast<size_t>(logits.shape().rank() - 1)));
  check.that(targets.shape() == expected, Code::bad_shape,
             "targets have shape {}, expected {} (one for every row of logits {})", targets.shape(), expected,
             logits.shape());
  check.that(options.smoothing >= 0 && options.smoothing <= 1, "smoothing is {}, expected 0 to 1",
             options.smoothing);
  check.that(!options.weights || locus::on_host(options.weights.device()), Code::bad_shape,
             "weights are on the {}, expected the memory of the host", name_of(options.weights.device()));
  const Tensor weights = options.weights ? options.weights.on(logits.value().device()) : Tensor();
  if (weights) check.parameter("weights", weights, {V}, "the number of classes");
  const double total = weight_of(targets, options.weights);
  check.that(total > 0, "all {} targets are ignored or have weight 0, expected at least one that counts", N);

  const Tensor rows = logits.value();
  const Tensor losses = sums_like(rows, {N}), lse = sums_like(rows, {N});
  const float smoothing = options.smoothing;
  kernels(rows.device())
      .cross_entropy({.logits = rows.view(),
                      .targets = targets.view(rows.device()),
                      .weights = weights.view(),
                      .loss = losses.view(),
                      .lse = lse.view(),
                      .smoothing = smoothing});
  const Tensor mean = sums_like(rows, {});
  kernels(rows.device()).sum({.x = losses.view(), .out = mean.view(), .divisor = total});
  return record(mean, {logits}, [=](const Tensor& dy) {
    const Tensor dlogits = rows.shape().rank() == 2 ? rows.like({N, aligned_columns(rows, V)}).columns(0, V)
                                                    : rows.like(rows.shape());
    kernels(dy.device())
        .cross_entropy_backward({.logits = rows.view(),
                                 .targets = targets.view(rows.device()),
                                 .weights = weights.view(),
                                 .lse = lse.view(),
                                 .dloss = dy.view(),
                                 .divisor = total,
                                 .dlogits = dlogits.view(),
                                 .smoothing = smoothing});
    logits.accumulate(dlogits);
  });
}

}  // namespace locus::op
