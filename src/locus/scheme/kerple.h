// The options of KERPLE.
#pragma once

#include "locus/base/options.h"

namespace locus {

struct Kerple {
  static constexpr std::string_view kScheme = "kerple";
  enum class Form { log, power };
  Form form = Form::log;

  template <class V>
  void fields(V& v) {
    v.choice("form", form, "log|power", "bias at distance n: log is -r1 ln(1 + r2 n), power is -r1 n^r2");
  }
};

}  // namespace locus
