// Shapes for tests of ops that accept any shape: a single number, one element, odd sizes, ranks 1 to 4, and
// empty shapes.
#pragma once

#include <vector>

#include "locus/base/shape.h"

namespace locus::testing {

inline const std::vector<Shape> kShapes = {{},        {1},           {7}, {1, 1}, {3, 5},
                                           {2, 3, 9}, {2, 1, 2, 17}, {0}, {0, 4}, {3, 0}};

}  // namespace locus::testing
