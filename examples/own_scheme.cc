// Adds a position scheme of the program's own and runs a model that uses it.
#include <fmt/core.h>

#include <cmath>

#include "locus/locus.h"

using namespace locus;

namespace {

// score(h, i, j) = scale * q_i . k_j - strength sqrt(|j - i|)
struct RootDistance {
  static constexpr std::string_view kScheme = "root_distance";
  double strength = 0.5;

  template <class V>
  void fields(V& v) {
    v.number("strength", strength, 0, kNoLimit, "factor on the root of the distance");
  }
};

class RootDistanceScheme final : public Scheme {
 public:
  RootDistanceScheme(const Geometry& geometry, const RootDistance& options, const Scope& scope,
                     const InitRandom&)
      : heads_(geometry.heads), strength_(options.strength), kind_(scope.constant(Tensor::zeros({}))) {}

  SchemePass begin(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const Tensor table = distance_table(span, kind_, heads_, [&](int64_t, int64_t distance) {
      return -strength_ * std::sqrt(static_cast<double>(std::abs(distance)));
    });
    return ScoreTerms{.by_distance = DistanceTerm{Var(table), span.zero()}};
  }

 private:
  int64_t heads_;
  double strength_;
  Tensor kind_;  // has the dtype and the device of the model
};

constexpr SchemeInfo kRootDistance = {
    .name = RootDistance::kScheme,
    .summary = "subtracts the root of the distance from the scores",
    .formula = "score(h, i, j) = scale * q_i . k_j - strength sqrt(|j - i|)",
    .paper = "none",
    .models = "none",
    .cost = "one addition per attention score",
    .acts_on = ActsOn::score,
    .relative = true,
    .extrapolates = true,
    .options = option_specs<RootDistance>,
    .make = make_typed<RootDistanceScheme, RootDistance>};

int run() {
  register_scheme(kRootDistance);  // before anything else uses schemes
  const Model model(Blueprint{.width = 32,
                              .scheme = "root_distance",
                              .scheme_options = {{"strength", "1"}},
                              .attention = {.heads = 4}});
  const Var logits = model(tokens_of({{1, 2, 3, 4}}, model.blueprint()));
  fmt::print("{} is one of {} schemes\n", model.blueprint().scheme, schemes().size());
  fmt::print("logits {}\n", logits.shape().text());
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "own_scheme: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
