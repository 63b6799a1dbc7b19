// Which Locus this is. The number is the one in the project() line of CMakeLists.txt.
#pragma once

#include <string_view>

namespace locus {

std::string_view version();

}  // namespace locus
