// The id of a request: in the log, and in the answer as x-request-id.
#pragma once

#include <string>
#include <string_view>

namespace locus::serve {

// The id that the client chose, without characters that have no place in an id, and cut after 128. Without
// one, 16 new digits.
std::string request_id(std::string_view given);

}  // namespace locus::serve
