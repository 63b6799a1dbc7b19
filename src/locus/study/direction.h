// Whether a scheme knows which of two tokens comes first, or only how far apart they are.
#pragma once

#include <string_view>

namespace locus::study {

// Asked of the scheme itself: an encoder with it and with parameters drawn at random reads a text and its
// mirror image. Where the states are mirror images too, nothing it could learn tells before from after.
bool tells_direction(std::string_view scheme);

}  // namespace locus::study
