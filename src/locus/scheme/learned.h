// The options of learned absolute positions.
#pragma once

#include "locus/scheme/input_rows.h"

namespace locus {

struct Learned {
  static constexpr std::string_view kScheme = "learned";
  int64_t rows = 0;
  InputRows input;
  int64_t stretched = 0;
  double std = 0.02;

  template <class V>
  void fields(V& v) {
    v.integer("rows", rows, 0, kNoLimit, "number of positions in the table; 0: max_length of the model");
    input.fields(v);
    v.integer("stretched", stretched, 0, 1 << 24,
              "number of positions after linear interpolation of the table; 0: no interpolation");
    v.number("std", std, 0, kNoLimit, "standard deviation of the initial values (init std)");
  }
};

}  // namespace locus
