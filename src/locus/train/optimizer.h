// AdamW over the parameters of a model, with clipping by the global gradient norm.
#pragma once

#include <functional>
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
  // The moments of a parameter. `parameter` counts those that are trained.
  struct Moments {
    std::string name;
    Var parameter;
    Tensor first, second;  // no tensors if another process updates the parameter
    double decay;
    int64_t begin = 0;  // steps of the optimizer before the moments began
    bool is_owned() const { return static_cast<bool>(first); }
  };

  // Moments start at 0. Parameters that are frozen now are never updated. If several processes share the
  // work, `owned` says for each trained parameter whether this one updates it.
  AdamW(Parameters& parameters, AdamWSettings settings, const std::vector<bool>& owned = {});

  // One step with the accumulated gradients. Each is multiplied by `scale` first, and cleared afterwards; a
  // missing gradient counts as 0. Returns the global norm after scaling and before clipping. If the norm is
  // not finite, throws Fault::diverged and changes nothing.
  double step(double learning_rate, double scale = 1);
  // The same in two parts, for a caller who reads other numbers, too: measure() adds a number for each owned
  // parameter to `readings`, and apply() gets those of all parameters.
  int64_t owned() const;
  void measure(Readings& readings) const;
  double apply(std::span<const double> measured, double learning_rate, double scale);

  int64_t steps() const { return steps_; }
  std::vector<Moments>& moments() { return list_; }
  // The moments, "first.NAME" and "second.NAME", and "begin.NAME", the number of steps before they began, if
  // it is not 0. Those of other processes are fetched: (index in moments(), whether it is the second).
  using FetchMoment = std::function<Tensor(size_t index, bool second)>;
  std::vector<TensorSource> state(const FetchMoment& fetch = {}) const;
  // Continues from a saved state. Throws if names or shapes differ. Moments of other processes are passed on.
  using PassMoment = std::function<void(size_t index, bool second, const Tensor& moment)>;
  void restore(const SafetensorsFile& file, int64_t steps, const PassMoment& pass = {});
  // The same for another choice of frozen parameters: moments that are not in the file begin now, at 0.
  void restore_present(const SafetensorsFile& file, int64_t steps, const PassMoment& pass = {});
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  void read_moments(const SafetensorsFile& file, size_t index, const PassMoment& pass);
  AdamWSettings settings_;
  std::vector<Moments> list_;
  int64_t steps_ = 0;
};

}  // namespace locus
