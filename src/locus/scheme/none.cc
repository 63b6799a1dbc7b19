// No position information: the control of every comparison. A causal model can still learn word order,
// because a token sees only the tokens before it.
//   Terms{}
// Kazemnejad et al. 2023, arXiv 2305.19466.
#include "locus/scheme/scheme.h"

namespace locus {
namespace {

class None final : public Scheme {
 public:
  Terms terms(const Placement&) const override { return {}; }
};

std::unique_ptr<Scheme> make(const Geometry&, const Options&, const Scope&, const InitRandom&) {
  return std::make_unique<None>();
}

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
    .make = make,
};

}  // namespace locus
