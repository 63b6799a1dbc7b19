// Figures of a scheme: scores by distance and by positions for every head, and the position vectors if it
// acts on the input.
#pragma once

#include <vector>

#include "locus/report/figure.h"
#include "locus/report/probe.h"

namespace locus::report {

// For positions 0 .. length - 1; long ranges are sampled evenly.
std::vector<Figure> scheme_figures(const Probe& probe, int64_t length);

}  // namespace locus::report
