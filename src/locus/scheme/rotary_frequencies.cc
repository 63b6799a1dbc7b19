#include "locus/scheme/rotary_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace locus {
namespace {

using Scaling = RotaryFrequencies::Scaling;

// Real is double, or float to reproduce the bits of transformers. Powers are computed in double and rounded,
// with the same result on every machine. The vector powf of torch may differ from that by one ulp, depending
// on the machine: with torch 2.15 on aarch64 no frequency differs for d = 32, 64, 80, and at most one for d =
// 96, 128, 256 (bases 1e4, 5e5, 1e6).
template <class Real>
Real power(Real base, double exponent) {
  return static_cast<Real>(std::pow(static_cast<double>(base), exponent));
}

// base^(2n/d)
template <class Real>
std::vector<Real> wavelengths(Real base, int64_t width) {
  std::vector<Real> result;
  for (int64_t n = 0; n < width / 2; ++n) {
    result.push_back(power(base, static_cast<Real>(2 * n) / static_cast<Real>(width)));
  }
  return result;
}

template <class Real>
Real stretched_base(const RotaryFrequencies& f, int64_t variant) {
  const double exponent = static_cast<double>(f.width) / static_cast<double>(f.width - 2);
  if (f.scaling == Scaling::ntk) return static_cast<Real>(f.base * std::pow(f.factor, exponent));
  if (f.scaling != Scaling::dynamic || variant == 0) return static_cast<Real>(f.base);
  const Real ratio =
      static_cast<Real>(f.factor) * static_cast<Real>(variant) / static_cast<Real>(f.trained_length);
  return static_cast<Real>(f.base) * power(ratio - static_cast<Real>(f.factor - 1), exponent);
}

// The (fractional) index of the pair that turns `turns` times within the trained length.
double pair_of_turns(const RotaryFrequencies& f, double turns) {
  const double length = static_cast<double>(f.trained_length);
  return static_cast<double>(f.width) * std::log(length / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(f.base));
}

template <class Real>
void apply_yarn(const RotaryFrequencies& f, const std::vector<Real>& lengths, std::vector<Real>& result) {
  double low = pair_of_turns(f, f.beta_fast), high = pair_of_turns(f, f.beta_slow);
  if (f.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(f.width - 1));
  if (low == high) high += 0.001;
  for (size_t n = 0; n < result.size(); ++n) {
    const Real linear = (static_cast<Real>(n) - static_cast<Real>(low)) / static_cast<Real>(high - low);
    const Real keep = 1 - std::clamp<Real>(linear, 0, 1);
    result[n] = 1 / (static_cast<Real>(f.factor) * lengths[n]) * (1 - keep) + 1 / lengths[n] * keep;
  }
}

// torch computes number / tensor as number * (1 / tensor), hence the reciprocals.
template <class Real>
void apply_llama3(const RotaryFrequencies& f, std::vector<Real>& result) {
  const auto trained = static_cast<double>(f.trained_length);
  const auto longest = static_cast<Real>(trained / f.low_freq_factor);
  const auto shortest = static_cast<Real>(trained / f.high_freq_factor);
  const auto factor = static_cast<Real>(f.factor);
  for (Real& frequency : result) {
    const Real wavelength = 1 / frequency * static_cast<Real>(2 * std::numbers::pi);
    if (wavelength > longest) {
      frequency /= factor;
    } else if (!(wavelength < shortest)) {
      const Real smooth =
          (1 / wavelength * static_cast<Real>(trained) - static_cast<Real>(f.low_freq_factor)) /
          static_cast<Real>(f.high_freq_factor - f.low_freq_factor);
      frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

template <class Real>
std::vector<double> compute(const RotaryFrequencies& f, int64_t variant) {
  const std::vector<Real> lengths = wavelengths(stretched_base<Real>(f, variant), f.width);
  std::vector<Real> result;
  for (const Real length : lengths) result.push_back(1 / length);
  switch (f.scaling) {
    case Scaling::none:
    case Scaling::ntk:
    case Scaling::dynamic:
      break;
    case Scaling::linear:
      for (Real& frequency : result) frequency /= static_cast<Real>(f.factor);
      break;
    case Scaling::yarn:
      apply_yarn(f, lengths, result);
      break;
    case Scaling::longrope: {
      const std::vector<double>& factors = variant == 0 ? f.short_factor : f.long_factor;
      for (size_t n = 0; n < result.size(); ++n) result[n] = 1 / (static_cast<Real>(factors[n]) * lengths[n]);
      break;
    }
    case Scaling::llama3:
      apply_llama3(f, result);
      break;
  }
  return {result.begin(), result.end()};
}

}  // namespace

int64_t RotaryFrequencies::variant(int64_t length) const {
  if (length <= trained_length) return 0;
  if (scaling == Scaling::longrope) return 1;
  return scaling == Scaling::dynamic ? length : 0;
}

std::vector<double> RotaryFrequencies::of(int64_t variant) const {
  return hf ? compute<float>(*this, variant) : compute<double>(*this, variant);
}

}  // namespace locus
