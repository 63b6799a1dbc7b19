// Text from outside, as it may stand in an error: between quotes, with bytes that no terminal should get
// written as \x1f, and cut when it is long.
#pragma once

#include <string>
#include <string_view>

namespace locus {

std::string quote(std::string_view text);

}  // namespace locus
