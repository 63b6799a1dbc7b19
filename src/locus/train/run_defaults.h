// Defaults of a run that are more than a constant of their setting.
#pragma once

#include <filesystem>
#include <string_view>

#include "locus/base/settings.h"

namespace locus {

// The scheme of a model that is trained from scratch. A blueprint in C++ has none unless it names one.
inline constexpr std::string_view kDefaultScheme = "rotary";

// Sets the settings whose default has changed between versions of Locus, or depends on other settings, to
// their values in the checkpoints of `run`, unless they are set already. So a run resumes with the values it
// started with. Changes nothing if the folder has no checkpoint.
void keep_defaults(Settings& settings, const std::filesystem::path& run);

}  // namespace locus
