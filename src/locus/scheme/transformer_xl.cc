// Transformer-XL: separate score terms for content and for distance; distances are projected sinusoids.
//   score(h, i, j) = scale ((q_i + u) . k_j + (q_i + v) . (W R(i - j)))
//   R(n) = [sin(n w_0) .. sin(n w_(C/2-1)) cos(n w_0) ..],   w_m = 10000^(-2m/C)
// u, v [H*D] are shared by the layers; every layer has its own W [H*D, C]; R [S, C]. As terms: by_query = R
// W^T with one slot per distance; by_key = u with one slot for all distances; by_distance = scale v . (W R),
// computed as R times W^T v [H, C].
// Dai et al. 2019, arXiv 1901.02860.
#include "locus/scheme/transformer_xl.h"

#include <cmath>

#include "locus/kernel/element.h"
#include "locus/op/elementwise.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/scheme/distance.h"
#include "locus/scheme/host_table.h"
#include "locus/scheme/initializer.h"
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

class TransformerXlScheme final : public Scheme {
 public:
  TransformerXlScheme(const Geometry& geometry, const TransformerXl&, const Scope& scope,
                      const InitRandom& random)
      : geometry_(geometry) {
    if (geometry.width % 2 != 0) {
      fail(Fault::usage, "scheme transformer_xl: the width of the model is {}, expected an even number",
           geometry.width);
    }
    // As in the authors' code: all normal with standard deviation 0.02.
    constexpr double kInitStd = 0.02;
    const int64_t all = geometry.heads * geometry.head_size;
    Initializer initial(random);
    u_ = scope.add("u", initial.normal({all}, kInitStd), Role::bias);
    v_ = scope.add("v", initial.normal({all}, kInitStd), Role::bias);
    for (int64_t layer = 0; layer < geometry.layers; ++layer) {
      weights_.push_back((scope / fmt::format("layer.{}", layer))
                             .add("weight", initial.normal({all, geometry.width}, kInitStd), Role::matrix));
    }
  }

  SchemePass begin(const Placement& placement) const override {
    const DistanceSpan span(placement);
    const Indices slots = slot_map(span, [&](int64_t d) { return d - span.least; });
    return SchemePass([this, distances = SlotTerm{Var(sinusoids(span)), slots, span.zero()}](
                          const LayerView& view) { return scores(distances, view); });
  }

 private:
  // The scores of a layer, from the sinusoids R of all distances.
  ScoreTerms scores(const SlotTerm& distances, const LayerView& view) const {
    const int64_t H = geometry_.heads, D = geometry_.head_size, C = geometry_.width;
    const Var& weight = part_of(weights_, view);
    const Var turned = op::matmul(op::reshape(v_, {H, 1, D}), op::reshape(weight, {H, D, C}));  // [H, 1, C]
    const Var bias =
        op::matmul(op::scale(op::reshape(turned, {H, C}), scale()), distances.table, false, true);
    const Indices one_slot = Tensor::zeros(distances.slots.shape(), DType::i32);
    return {.by_distance = DistanceTerm{bias, distances.zero},
            .by_query = SlotTerm{op::linear(distances.table, weight), distances.slots, distances.zero},
            .by_key = SlotTerm{op::reshape(u_, {1, H * D}), one_slot, distances.zero},
            .scale = scale()};
  }

  float scale() const { return 1 / std::sqrt(static_cast<float>(geometry_.head_size)); }

  // R [S, C], with angles in double.
  Tensor sinusoids(const DistanceSpan& span) const {
    const int64_t half = geometry_.width / 2;
    const Tensor table = host_table(u_.value(), {span.size(), geometry_.width});
    for (int64_t m = 0; m < half; ++m) {
      const double frequency = std::pow(10000.0, -static_cast<double>(m) / static_cast<double>(half));
      for (int64_t d = span.least; d <= span.most; ++d) {
        const double angle = static_cast<double>(-d) * frequency;
        kernel::put(table.view(), d - span.least, m, std::sin(angle));
        kernel::put(table.view(), d - span.least, half + m, std::cos(angle));
      }
    }
    return table.on(u_.value().device());
  }

  Geometry geometry_;
  Var u_, v_;
  std::vector<Var> weights_;
};

}  // namespace

extern const SchemeInfo kTransformerXl = {
    .name = "transformer_xl",
    .summary = "scores queries against projected sinusoids of the distance, with two learned bias vectors",
    .aliases = "TXL, XL, Transformer-XL, XLNet",
    .formula = "score(h, i, j) = scale * ((q_i + u) . k_j + (q_i + v) . (W R(i - j)))",
    .paper = "Dai et al. 2019, arXiv 1901.02860",
    .models = "Transformer-XL, XLNet, Conformer",
    .cost =
        "a projection of all distances in every layer, and the product of every query with each of them: "
        "length x length",
    .relative = true,
    .extrapolates = true,
    .options = option_specs<TransformerXl>,
    .make = make_typed<TransformerXlScheme, TransformerXl>,
};

}  // namespace locus
