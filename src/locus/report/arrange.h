// Combines drawings: small multiples side by side, figures below each other.
#pragma once

#include <span>

#include "locus/report/svg.h"

namespace locus::report {

// Left to right, in rows that fit the width.
Drawing side_by_side(std::span<const Drawing> drawings, double width, double gap);
// Top to bottom, aligned at the left.
Drawing below_each_other(std::span<const Drawing> drawings, double gap);
// Text wrapped to the width.
Drawing paragraph(std::string_view words, double width, const TextStyle& style = {});

}  // namespace locus::report
