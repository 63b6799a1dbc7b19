// The options of xPos.
#pragma once

#include "locus/scheme/rotary.h"

namespace locus {

struct Xpos {
  static constexpr std::string_view kScheme = "xpos";
  RotaryPairs pairs = RotaryPairs::interleaved;
  int64_t width = 0;
  double base = 10000, gamma = 0.4, scale_base = 512;

  template <class V>
  void fields(V& v) {
    v.choice("pairs", pairs, "halves|interleaved",
             "components rotated as a pair: 2n and 2n + 1 (interleaved: the authors' code), or n and n + d/2 "
             "(halves)");
    v.integer("width", width, 0, kNoLimit, "number of components of each head that are rotated; 0: all");
    v.number("base", base, 1, kNoLimit, "base of the frequencies");
    v.number("gamma", gamma, 1e-3, kNoLimit, "a smaller gamma makes the fast pairs decay faster");
    v.number("scale_base", scale_base, 1, kNoLimit, "distance over which a pair decays by its factor zeta");
  }
};

}  // namespace locus
