// simdjson's on-demand parser checks only what is asked for. This checks the rest: a value nobody needs must
// still be JSON.
#pragma once

#include <simdjson.h>

namespace locus {

// Reads a value to its end without recursion. Containers inside it may be `depth_left` levels deep; deeper is
// DEPTH_ERROR.
simdjson::error_code check_json(simdjson::ondemand::value value, size_t depth_left);

}  // namespace locus
