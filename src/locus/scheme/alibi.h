// The options of ALiBi.
#pragma once

#include <vector>

#include "locus/base/options.h"

namespace locus {

struct Alibi {
  static constexpr std::string_view kScheme = "alibi";
  double bias_max = 8;
  std::vector<double> slopes;
  bool scaled = false, bf16 = false;

  template <class V>
  void fields(V& v) {
    v.number("bias_max", bias_max, 1e-3, 100,
             "the smallest slope is 2^-bias_max if the number of heads is a power of two");
    v.numbers("slopes", slopes, -kNoLimit, kNoLimit,
              "one slope per head, comma-separated, instead of the rule of the paper");
    v.flag("scaled", scaled, "multiply the bias by 1/sqrt(head size), as in Falcon");
    v.flag("bf16", bf16, "round the slopes to bf16 first, as in Falcon-RW");
  }
};

}  // namespace locus
