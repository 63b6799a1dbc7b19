// No position information at all: the control of every comparison. A causal model still learns order, since
// a token sees only what came before it.
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
    .summary = "no position information: the control",
    .formula = "score(i, j) = scale * q_i . k_j",
    .paper = "Kazemnejad et al. 2023, arXiv 2305.19466",
    .models = "none well known; the control of comparisons",
    .cost = "nothing",
    .acts_on = ActsOn::nothing,
    .relative = true,
    .extrapolates = true,
    .make = make,
};

}  // namespace locus
