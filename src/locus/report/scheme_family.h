// Families of schemes by where they act, measured on the terms that a scheme produces. A chart shows one
// family at a time; each has a color and a shape (report/scatter_chart.h), in this order.
#pragma once

#include <string_view>

#include "locus/scheme/scheme.h"

namespace locus::report {

enum class Family { input, rotation, bias, vectors, combination, none };
inline constexpr size_t kFamilies = 6;

Family family_of(const SchemeInfo& info);
std::string_view title_of(Family family);

}  // namespace locus::report
