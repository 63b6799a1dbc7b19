// Hints that name options of the program. Errors of the library name none.
#pragma once

#include <functional>
#include <string_view>

#include "locus/base/error.h"

namespace locus::cli {

// The error with the hints for its code, added to its own hint. A hint is left out if it names an option that
// the command does not have.
Error with_option_hints(const Error& error, const std::function<bool(std::string_view option)>& has);

}  // namespace locus::cli
