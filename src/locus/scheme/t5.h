// The options of T5's relative bias.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct T5 {
  static constexpr std::string_view kScheme = "t5";
  enum class Sides { automatic, one, two };
  int64_t buckets = 32, max_distance = 128;
  Sides sides = Sides::automatic;

  template <class V>
  void fields(V& v) {
    v.integer("buckets", buckets, 2, 1 << 20, "number of distance buckets, both directions together");
    v.integer("max_distance", max_distance, 2, 1 << 30, "distances from here on share the last bucket");
    v.choice("sides", sides, "auto|one|two",
             "directions with their own buckets: two (keys before and after the query) or one "
             "(keys before it); auto: one for causal models, otherwise two");
  }
};

}  // namespace locus
