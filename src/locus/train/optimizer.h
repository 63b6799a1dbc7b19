// AdamW over the parameters of a model, with clipping by the global gradient norm.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/autograd/parameters.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/train/readings.h"

namespace locus {

struct AdamWSettings {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double weight_decay = 0.01;
  double clip = 0;  // largest global gradient norm; 0: no clipping
  // Exceptions from the default rule of decays(): parameters to decay, and not to decay. Comma-separated name
  // patterns, in which * matches any text.
  std::string decayed, undecayed;
};

// Whether weight decay applies to a parameter. By default it applies to parameters with Role::matrix. Biases
// and gains do not decay, nor do tables, where rows that are never looked up would fade. The patterns in the
// settings override this rule.
bool decays(const NamedParameter& parameter, const AdamWSettings& settings);

// Whether a name matches a pattern in which * matches any text, also an empty one. Takes at most O(name
// length x pattern length) time.
bool matches_pattern(std::string_view name, std::string_view pattern);

// Freezes the parameters whose names match the comma-separated patterns, in which * matches any text: they
// get no gradient and no moments, and keep their bits. Throws if a pattern matches no parameter, or if none
// would be left to train.
void freeze_matching(Parameters& parameters, std::string_view patterns);

class AdamW {
 public:
  // Moments start at 0. Parameters that are frozen now are never updated.
  AdamW(Parameters& parameters, AdamWSettings settings);

  // One step with the accumulated gradients. Each is multiplied by `scale` first, and cleared afterwards; a
  // missing gradient counts as 0. Returns the global norm after scaling and before clipping. If the norm is
  // not finite, throws Fault::diverged and changes nothing.
  double step(double learning_rate, double scale = 1);
  // The same in two parts, for a caller who reads other numbers, too: measure() adds parts() numbers to
  // `readings`, and apply() gets their values.
  int64_t parts() const { return std::ssize(list_); }
  void measure(Readings& readings) const;
  double apply(std::span<const double> measured, double learning_rate, double scale);

  int64_t steps() const { return steps_; }
  // The moments, "first.NAME" and "second.NAME", and "begin.NAME", the number of steps before they began, if
  // it is not 0.
  std::vector<NamedTensor> state() const;
  // Continues from a saved state. Throws if names or shapes differ.
  void restore(const SafetensorsFile& file, int64_t steps);
  // The same for another choice of frozen parameters: moments that are not in the file begin now, at 0.
  void restore_present(const SafetensorsFile& file, int64_t steps);

 private:
  struct Moments {
    std::string name;
    Var parameter;
    Tensor first, second;
    double decay;
    int64_t begin = 0;  // steps of the optimizer before the moments began
  };
  void read_moments(const SafetensorsFile& file, Moments& moments);
  AdamWSettings settings_;
  std::vector<Moments> list_;
  int64_t steps_ = 0;
};

}  // namespace locus
