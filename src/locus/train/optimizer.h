// AdamW over the parameters of a model, with clipping to a norm over all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/checkpoint/safetensors.h"

namespace locus {

struct AdamWSettings {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double weight_decay = 0.01;
  double clip = 0;  // the largest norm of the gradient of all parameters together; 0: any
  // Names to decay, and not to decay, against the rule: patterns separated by commas in which * stands for
  // anything.
  std::string decayed, undecayed;
};

// Whether a parameter is pulled towards 0. By rule only matrices that multiply are: not what has fewer than
// two axes (biases, gains of norms, numbers per head), and no tables of embeddings, positions or segments,
// where a row that is never looked up would fade. A name in one of the patterns is as they say.
bool decays(const NamedParameter& parameter, const AdamWSettings& settings);

// Whether a name fits a pattern in which * stands for anything, nothing included. Takes time as the product
// of the lengths at most.
bool fits(std::string_view name, std::string_view pattern);

class AdamW {
 public:
  // Moments start at 0. Parameters that want no gradient now are left alone for good.
  AdamW(Parameters& parameters, AdamWSettings settings);

  // One step with the gradients collected, each multiplied by `scale` first, and cleared after; a parameter
  // without one has the gradient 0. Returns their norm, scaled but before clipping. A norm that is not
  // finite: Fault::diverged, and nothing has changed.
  double step(double rate, double scale = 1);

  int64_t steps() const { return steps_; }
  // The moments, "first.NAME" and "second.NAME".
  std::vector<NamedTensor> state() const;
  // Goes on from a saved state. Other names or shapes are refused.
  void restore(const SafetensorsFile& file, int64_t steps);

 private:
  struct Moments {
    std::string name;
    Var parameter;
    Tensor first, second;
    double decay;
  };
  AdamWSettings settings_;
  std::vector<Moments> list_;
  int64_t steps_ = 0;
};

}  // namespace locus
