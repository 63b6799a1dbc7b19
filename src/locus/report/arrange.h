// Drawings put together into one: small multiples side by side, figures below each other.
#pragma once

#include <span>

#include "locus/report/svg.h"

namespace locus::report {

// Left to right, in rows that fit the width.
Drawing side_by_side(std::span<const Drawing> drawings, double width, double gap);
// Top to bottom, from the same left edge.
Drawing below_each_other(std::span<const Drawing> drawings, double gap);
// Words in lines that fit the width.
Drawing paragraph(std::string_view words, double width, const TextStyle& style = {});

}  // namespace locus::report
