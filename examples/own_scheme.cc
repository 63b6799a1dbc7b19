// Adds a position scheme of the program's own and runs a model that uses it.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "locus/locus.h"

using namespace locus;

namespace {

constexpr std::array kOptions = {OptionSpec{
    .name = "strength", .preset = "0.5", .help = "factor on the root of the distance", .least = 0}};

// score(h, i, j) = scale * q_i . k_j - strength sqrt(|j - i|)
class RootDistance final : public Scheme {
 public:
  RootDistance(const Geometry& geometry, const Options& options, const Scope& scope)
      : heads_(geometry.heads),
        strength_(options.number("strength")),
        kind_(scope.constant(Tensor::zeros({}))) {}

  Terms terms(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const Tensor table = distance_table(span, kind_, heads_, [&](int64_t, int64_t distance) {
      return -strength_ * std::sqrt(static_cast<double>(std::abs(distance)));
    });
    return {.scores = {.by_distance = DistanceTerm{Var(table), span.zero()}}};
  }

 private:
  int64_t heads_;
  double strength_;
  Tensor kind_;  // has the dtype and the device of the model
};

std::unique_ptr<Scheme> make_root_distance(const Geometry& geometry, const Options& options,
                                           const Scope& scope, const InitRandom&) {
  return std::make_unique<RootDistance>(geometry, options, scope);
}

constexpr SchemeInfo kRootDistance = {
    .name = "root_distance",
    .summary = "subtracts the root of the distance from the scores",
    .formula = "score(h, i, j) = scale * q_i . k_j - strength sqrt(|j - i|)",
    .paper = "none",
    .models = "none",
    .cost = "one addition per attention score",
    .acts_on = ActsOn::score,
    .relative = true,
    .extrapolates = true,
    .options = kOptions,
    .make = make_root_distance};

int run() {
  register_scheme(kRootDistance);  // before anything else uses schemes
  const Model model(
      Blueprint{.width = 32, .heads = 4, .scheme = "root_distance", .scheme_options = {{"strength", "1"}}});
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
