// The rotation angle per position of every pair, and the scalings that extend the trained length.
//   frequency[n] = base^(-2n/d), n = 0 .. d/2 - 1, d the rotated width
// then, by scaling, with factor f, trained length T and a sequence of length L:
//   none
//   linear    frequency / f                                          Chen et al. 2023, arXiv 2306.15595
//   ntk       base * f^(d/(d-2))                                     bloc97 2023, "NTK-aware scaled RoPE"
//   dynamic   base * (f max(L, T)/T - (f - 1))^(d/(d-2))             emozilla 2023, "dynamic NTK"
//   yarn      frequency * (ramp/f + 1 - ramp); the ramp rises from 0 at the pair that turns beta_fast times
//             within T to 1 at the pair that turns beta_slow times   Peng et al. 2023, arXiv 2309.00071
//   longrope  frequency / short_factor[n], or / long_factor[n] when L > T  Ding et al. 2024, arXiv 2402.13753
//   llama3    frequency / f for wavelengths over T/low_freq_factor, frequency for those under
//             T/high_freq_factor, a blend in between                 Llama team 2024, arXiv 2407.21783
// yarn and longrope also multiply cosines and sines by an attention factor.
#pragma once

#include <cstdint>
#include <vector>

#include "locus/scheme/rotary.h"
#include "locus/scheme/scheme.h"

namespace locus {

struct RotaryFrequencies {
  using Scaling = Rotary::Scaling;

  int64_t width = 0;  // d
  double base = 10000;
  Scaling scaling = Scaling::none;
  double factor = 1;
  int64_t trained_length = 0;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  double low_freq_factor = 1, high_freq_factor = 4;
  std::vector<double> short_factor, long_factor;
  double attention_factor = 1;
  // Rounds every operation to f32 in the order of the transformers library; otherwise all is in double.
  bool hf = false;

  // Selects the frequencies of a sequence: 0 within the trained length, and for scalings that do not depend
  // on the length; past it 1 (longrope) or the length itself (dynamic).
  int64_t variant(int64_t length) const;
  // The d/2 frequencies of a variant. With `hf` every one is representable in f32.
  std::vector<double> of(int64_t variant) const;
};

// `width`, or the head size if it is 0.
int64_t rotated_width(std::string_view scheme, const Geometry& geometry, int64_t width);
// Checks that the options of scheme rotary fit together.
RotaryFrequencies frequencies_of(const Geometry& geometry, const Rotary& options);

}  // namespace locus
