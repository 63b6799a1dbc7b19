// The options of Transformer-XL's relative positions: there are none.
#pragma once

#include <string_view>

namespace locus {

struct TransformerXl {
  static constexpr std::string_view kScheme = "transformer_xl";
  template <class V>
  void fields(V&) {}
};

}  // namespace locus
