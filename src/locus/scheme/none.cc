// No position information: the control of every comparison. A causal model can still learn word order,
// because a token sees only the tokens before it.
//   score(i, j) = scale * q_i . k_j
// Kazemnejad et al. 2023, arXiv 2305.19466.
#include "locus/scheme/none.h"

#include "locus/scheme/scheme.h"

namespace locus {
namespace {

class NoScheme final : public Scheme {
 public:
  NoScheme(const Geometry&, const None&, const Scope&, const InitRandom&) {}
  SchemePass begin(const Placement&) const override { return {}; }
};

}  // namespace

extern const SchemeInfo kNone = {
    .name = "none",
    .summary = "no position information, the control of comparisons",
    .aliases = "NoPE",
    .formula = "score(i, j) = scale * q_i . k_j",
    .paper = "Kazemnejad et al. 2023, arXiv 2305.19466",
    .models = "no well-known model; the control of comparisons",
    .cost = "no cost",
    .acts_on = ActsOn::nothing,
    .relative = true,
    .extrapolates = true,
    .options = option_specs<None>,
    .make = make_typed<NoScheme, None>,
};

}  // namespace locus
