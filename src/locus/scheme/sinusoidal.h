// The options of sinusoidal positions.
#pragma once

#include "locus/scheme/input_rows.h"

namespace locus {

struct Sinusoidal {
  static constexpr std::string_view kScheme = "sinusoidal";
  enum class Pairs { interleaved, halves };
  enum class Spacing { open, closed };
  Pairs pairs = Pairs::interleaved;
  Spacing spacing = Spacing::open;
  double base = 10000;
  int64_t first = 0;
  InputRows input;

  template <class V>
  void fields(V& v) {
    v.choice("pairs", pairs, "interleaved|halves",
             "order within a vector: interleaved (sin, cos, sin, cos, as in the paper), or halves (all sines "
             "first)");
    v.choice("spacing", spacing, "open|closed",
             "wavelengths: open is base^(2n/d) (the paper), closed is base^(n/(d/2-1)), which reaches base "
             "(tensor2tensor)");
    v.number("base", base, 1, kNoLimit, "ratio of the longest wavelength to the shortest");
    v.integer("first", first, 0, 1, "number added to every position; 1 counts from 1, as OpenNMT-tf does");
    input.fields(v);
  }
};

}  // namespace locus
