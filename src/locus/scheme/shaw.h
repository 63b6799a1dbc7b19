// The options of Shaw's relative keys.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct Shaw {
  static constexpr std::string_view kScheme = "shaw";
  int64_t max_distance = 16;
  bool per_head = false;

  template <class V>
  void fields(V& v) {
    v.integer("max_distance", max_distance, 0, 1 << 20,
              "clipping distance k: larger distances share the vector of distance k");
    v.flag("per_head", per_head, "learn separate vectors for every head");
  }
};

}  // namespace locus
