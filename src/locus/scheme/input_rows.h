// The options of schemes that act on the input: their rows are added to the token embeddings, or joined,
// which means concatenated after the token's own components.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct Geometry;

struct InputRows {
  enum class Combine { added, joined };
  Combine combine = Combine::added;
  int64_t width = 0;

  template <class V>
  void fields(V& v) {
    v.choice("combine", combine, "added|joined",
             "how position vectors enter the model: added to the token embedding, or joined (concatenated)");
    v.integer("width", width, 0, kNoLimit, "width of a joined position vector; 0: the width of the model");
  }

  bool joined() const { return combine == Combine::joined; }
  // The width of the rows. An own width is an error unless they are joined.
  int64_t width_in(const Geometry& geometry, std::string_view scheme) const;
};

}  // namespace locus
