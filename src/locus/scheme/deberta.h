// The options of DeBERTa's disentangled attention.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct Deberta {
  static constexpr std::string_view kScheme = "deberta";
  enum class ScoreParts { both, c2p, p2c };
  ScoreParts terms = ScoreParts::both;
  int64_t buckets = 256, max_distance = 0;
  bool shared = true, key_bias = true, norm = true;
  double norm_eps = 1e-7;

  template <class V>
  void fields(V& v) {
    v.choice("terms", terms, "both|c2p|p2c",
             "score terms: content to position (c2p), position to content (p2c), or both");
    v.integer("buckets", buckets, 0, 1 << 20,
              "number of log buckets per side (v2, v3); 0: one slot per distance (v1)");
    v.integer("max_distance", max_distance, 0, 1 << 30,
              "largest distance with its own slot; 0: max_length of the model");
    v.flag("shared", shared,
           "project distance vectors with the query and key weights of each layer (v2, v3)");
    v.flag("key_bias", key_bias, "bias in the key projection of positions, if shared is false; v1 has none");
    v.flag("norm", norm, "apply a layer norm to the table of distance vectors");
    v.number("norm_eps", norm_eps, 0, 1, "eps of the layer norm on the table of distance vectors");
  }
};

}  // namespace locus
