// simdjson's on-demand parser checks only what is asked for. This checks the rest: a value nobody needs must
// still be JSON.
#pragma once

#include <simdjson.h>

namespace locus {

// Reads a value to its end without recursion. Containers inside it may be `depth_left` levels deep; deeper is
// DEPTH_ERROR.
simdjson::error_code check_json(simdjson::ondemand::value value, size_t depth_left);

// The unescaped text of a string or key. simdjson lets a lone low surrogate (\udc00) through as bytes that
// are not UTF-8; here it is an error.
simdjson::error_code checked_text(simdjson::simdjson_result<std::string_view> result, std::string_view& text);

}  // namespace locus
