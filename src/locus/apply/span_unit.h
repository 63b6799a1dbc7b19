// The unit of offsets in texts: characters (Unicode code points) or bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/text/encoding.h"

namespace locus {

struct SpanUnit {
  std::string name = "characters";

  bool bytes() const { return name == "bytes"; }
  // From bytes to the unit.
  void convert(std::string_view text, std::vector<TextSpan>& spans) const {
    if (!bytes()) count_in_code_points(text, spans);
  }
};

}  // namespace locus
