// The options of rotary embeddings (RoPE), with the scalings of rotary_frequencies.h.
#pragma once

#include <vector>

#include "locus/base/options.h"

namespace locus {

enum class RotaryPairs { halves, interleaved };

struct Rotary {
  static constexpr std::string_view kScheme = "rotary";
  enum class Scaling { none, linear, dynamic, ntk, yarn, longrope, llama3 };
  enum class Precision { precise, hf };
  RotaryPairs pairs = RotaryPairs::halves;
  int64_t width = 0;
  double base = 10000;
  Scaling scaling = Scaling::none;
  double factor = 0;
  int64_t original_length = 0;
  double attention_factor = 0;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  double mscale = 0, mscale_all_dim = 0;
  double low_freq_factor = 1, high_freq_factor = 4;
  std::vector<double> short_factor, long_factor;
  Precision precision = Precision::precise;

  template <class V>
  void fields(V& v) {
    constexpr double kLeast = 1e-6;
    v.choice("pairs", pairs, "halves|interleaved",
             "components rotated as a pair: n and n + d/2 (halves: Llama, NeoX), or 2n and 2n + 1 "
             "(interleaved: GPT-J, the paper)");
    v.integer("width", width, 0, kNoLimit, "number of components of each head that are rotated; 0: all");
    v.number("base", base, 1, kNoLimit, "base of the frequencies (rope_theta); Llama 3 uses 500000");
    v.choice("scaling", scaling, "none|linear|dynamic|ntk|yarn|longrope|llama3",
             "method that extends the context window past the trained length");
    v.number("factor", factor, 0, kNoLimit,
             "ratio of the new to the trained length; 0: max_length of the model / original_length");
    v.integer("original_length", original_length, 0, kNoLimit, "trained length; 0: max_length of the model");
    v.number("attention_factor", attention_factor, 0, kNoLimit,
             "yarn, longrope: factor on cosines and sines; 0: the rule of the paper");
    v.number("beta_fast", beta_fast, kLeast, kNoLimit,
             "yarn: pairs that turn more often than this within the trained length are not scaled");
    v.number(
        "beta_slow", beta_slow, kLeast, kNoLimit,
        "yarn: pairs that turn less often than this within the trained length are scaled by the full factor");
    v.flag("truncate", truncate, "yarn: round the ends of the ramp to whole pairs");
    v.number("mscale", mscale, 0, kNoLimit,
             "yarn: numerator of the attention factor, used together with mscale_all_dim; 0: not used");
    v.number("mscale_all_dim", mscale_all_dim, 0, kNoLimit,
             "yarn: denominator of the attention factor, used together with mscale; 0: not used");
    v.number("low_freq_factor", low_freq_factor, kLeast, kNoLimit,
             "llama3: wavelengths above original_length / low_freq_factor are scaled by the full factor");
    v.number("high_freq_factor", high_freq_factor, kLeast, kNoLimit,
             "llama3: wavelengths below original_length / high_freq_factor are not scaled");
    v.numbers(
        "short_factor", short_factor, kLeast, kNoLimit,
        "longrope: divisors of the frequencies within the trained length, one per pair, comma-separated");
    v.numbers("long_factor", long_factor, kLeast, kNoLimit,
              "longrope: divisors of the frequencies past the trained length, one per pair, comma-separated");
    v.choice("precision", precision, "precise|hf",
             "rounding of the tables: precise (computed in double, rounded once), or hf (as in the float32 "
             "code of transformers)");
  }
};

}  // namespace locus
