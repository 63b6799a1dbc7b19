// Relative keys of Shaw et al.: a learned vector for every distance up to a limit, added to the key.
//   score(h, i, j) = scale q_i . (k_j + table[clip(j - i, -k, k) + k])
// One table per layer: [2k+1, D] shared by the heads, or [2k+1, H*D]; by_query with slot clip(d) + k. The
// paper also adds vectors to the values. Locus omits these: the ablation of the paper finds no benefit.
// Shaw, Uszkoreit, Vaswani 2018, arXiv 1803.02155.
#include "locus/scheme/shaw.h"

#include <algorithm>
#include <cmath>

#include "locus/scheme/distance.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

// The paper clips at 16 and trains on sentences; beyond a quarter of a text most distances are rare.
constexpr LengthRule kShawLengthRules[] = {{.option = "max_distance", .value = 16, .length = 64}};

class ShawScheme final : public Scheme {
 public:
  ShawScheme(const Geometry& geometry, const Shaw& options, const Scope& scope, const InitRandom& random)
      : k_(options.max_distance) {
    // Glorot uniform over [2k+1, D], as in the authors' tensor2tensor code.
    const int64_t slots = 2 * k_ + 1;
    const int64_t width = geometry.head_size * (options.per_head ? geometry.heads : 1);
    const double limit = std::sqrt(6 / static_cast<double>(slots + geometry.head_size));
    Initializer initial(random);
    for (int64_t layer = 0; layer < geometry.layers; ++layer) {
      tables_.push_back((scope / fmt::format("layer.{}", layer))
                            .add("table", initial.uniform({slots, width}, -limit, limit), Role::table));
    }
  }

  SchemePass begin(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const Indices slots = slot_map(span, [&](int64_t d) { return std::clamp(d, -k_, k_) + k_; });
    return SchemePass([this, slots, zero = span.zero()](const LayerView& view) {
      return ScoreTerms{.by_query = SlotTerm{part_of(tables_, view), slots, zero}};
    });
  }

 private:
  int64_t k_;
  std::vector<Var> tables_;
};

}  // namespace

extern const SchemeInfo kShaw = {
    .name = "shaw",
    .summary = "adds a learned vector per clipped distance to the keys",
    .aliases = "relative keys, relative_key, relative representations",
    .formula = "score(h, i, j) = scale * q_i . (k_j + table[clip(j - i, -k, k) + k])",
    .paper = "Shaw, Uszkoreit, Vaswani 2018, arXiv 1803.02155",
    .models = "the relative Transformer of tensor2tensor, Music Transformer, SpeechT5",
    .cost = "the product of every query with 2k+1 vectors, and one lookup per attention score",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<Shaw>,
    .length_rules = kShawLengthRules,
    .make = make_typed<ShawScheme, Shaw>,
};

}  // namespace locus
