// No position information.
#pragma once

#include <string_view>

namespace locus {

struct None {
  static constexpr std::string_view kScheme = "none";
  template <class V>
  void fields(V&) {}
};

}  // namespace locus
