// Whether a scheme depends on which of two tokens comes first, or only on their distance.
#pragma once

#include <string_view>

namespace locus::study {

// Measured: an encoder with random parameters reads a text and its mirror image. If its outputs are mirror
// images too, no training can make it separate before from after.
bool has_direction(std::string_view scheme);

}  // namespace locus::study
