// The cosine of the angle between two vectors, from -1 to 1:
//   cosine(a, b) = a.b / (|a| |b|)
#pragma once

#include <span>

namespace locus {

double cosine(std::span<const float> a, std::span<const float> b);  // 0 if one of them is 0

}  // namespace locus
