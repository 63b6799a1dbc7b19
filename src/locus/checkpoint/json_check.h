// The on-demand parser of simdjson checks only the values that are read. This checks the others: a value that
// nothing reads must still be valid JSON.
#pragma once

#include <simdjson.h>

namespace locus {

// Reads a value to its end without recursion. Containers inside it may be `depth_left` levels deep; deeper
// ones give DEPTH_ERROR.
simdjson::error_code check_json(simdjson::ondemand::value value, size_t depth_left);

}  // namespace locus
