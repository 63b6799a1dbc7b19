// The options of FIRE.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct Fire {
  static constexpr std::string_view kScheme = "fire";
  int64_t hidden = 32;
  double threshold = 512;

  template <class V>
  void fields(V& v) {
    v.integer("hidden", hidden, 1, 1 << 16, "number of hidden units of the bias network");
    v.number("threshold", threshold, 1, 1e9,
             "initial value of L: all queries at positions below L are normalized by L");
  }
};

}  // namespace locus
