// The version of Locus, from the project() line of CMakeLists.txt.
#pragma once

#include <string_view>

namespace locus {

std::string_view version();

}  // namespace locus
