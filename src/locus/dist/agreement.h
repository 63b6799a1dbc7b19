// Facts that must be the same on all ranks.
#pragma once

#include <span>
#include <string>

#include "locus/dist/transport.h"

namespace locus::dist {

struct Fact {
  std::string name, value;
};

// All ranks call it with the same names. A rank with another value than rank 0 fails with Fault::peer, the
// name, and both values.
void require_agreement(Transport& transport, std::span<const Fact> facts);

}  // namespace locus::dist
