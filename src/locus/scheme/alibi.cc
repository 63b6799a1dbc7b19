// ALiBi: attention scores decrease linearly with distance, with a fixed slope per head.
//   score(h, i, j) -= slope(h) |i - j|                 by_distance [H, S]
// For causal models (j <= i) this equals the slope (j - i) of the paper; bidirectional models get the
// symmetric form. If H is a power of two, slope(h) = 2^(-8 (h+1) / H). Otherwise the rule of the paper
// applies: the slopes of the next smaller power of two, then every other slope of the next larger one. With
// bias_max m (MPT) the slopes are 2^(-m (h+1) / n), n the power of two at or above H, taken at h = 1, 3, ..
// first and then at h = 0, 2, .. until there are H of them. For m = 8 both rules give the same slopes. Press,
// Smith, Lewis 2021, arXiv 2108.12409.
#include "locus/scheme/alibi.h"

#include <bit>
#include <cmath>

#include "locus/base/half.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// With n the number of heads rounded up to a power of two: slopes 2, 4, .. of n, then slopes 1, 3, .. The
// even slopes of n are the slopes of n/2 heads in order, so this is the rule of the paper for any number of
// heads.
std::vector<double> slopes_by_rule(int64_t heads, double bias_max) {
  const auto n = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(heads)));
  const auto slope = [&](int64_t i) {
    return std::exp2(-bias_max * static_cast<double>(i) / static_cast<double>(n));
  };
  std::vector<double> slopes;
  if (n == heads) {
    for (int64_t i = 1; i <= n; ++i) slopes.push_back(slope(i));
    return slopes;
  }
  for (int64_t i = 2; i <= n; i += 2) slopes.push_back(slope(i));
  for (int64_t i = 1; static_cast<int64_t>(slopes.size()) < heads; i += 2) slopes.push_back(slope(i));
  return slopes;
}

class AlibiScheme final : public Scheme {
 public:
  AlibiScheme(const Geometry& geometry, const Alibi& options, const Scope& scope, const InitRandom&)
      : slopes_(options.slopes) {
    if (slopes_.empty()) slopes_ = slopes_by_rule(geometry.heads, options.bias_max);
    const auto count = static_cast<int64_t>(slopes_.size());
    if (count != geometry.heads) {
      fail(Fault::usage, "scheme alibi: option slopes has {} numbers, expected {}, one per head", count,
           geometry.heads);
    }
    for (double& slope : slopes_) {
      if (options.bf16) slope = to_f32(to_bf16(static_cast<float>(slope)));
      if (options.scaled) slope /= std::sqrt(static_cast<double>(geometry.head_size));
    }
    kind_ = scope.constant(Tensor::zeros({}));
  }

  SchemePass begin(const Placement& placement) const override {
    const auto table = [this](const DistanceSpan& span) {
      const auto heads = static_cast<int64_t>(slopes_.size());
      return Var(distance_table(span, kind_, heads, [this](int64_t h, int64_t d) {
        return -slopes_[static_cast<size_t>(h)] * static_cast<double>(std::abs(d));
      }));
    };
    return ScoreTerms{.by_distance = cache_.find(placement, true, table)};
  }

 private:
  std::vector<double> slopes_;
  Tensor kind_;  // has the dtype and the device of the model
  mutable DistanceCache cache_;
};

}  // namespace

extern const SchemeInfo kAlibi = {
    .name = "alibi",
    .summary = "subtracts the distance times a fixed slope per head from the attention scores",
    .aliases = "attention with linear biases, linear biases, linear bias",
    .formula = "score(h, i, j) = scale * q_i . k_j - slope(h) |i - j|,   slope(h) = 2^(-8 (h+1) / H)",
    .paper = "Press, Smith, Lewis 2021, arXiv 2108.12409",
    .models = "BLOOM, MPT, Falcon-RW, BTLM, Jina embeddings v2",
    .cost = "one addition per attention score",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<Alibi>,
    .make = make_typed<AlibiScheme, Alibi>,
};

}  // namespace locus
