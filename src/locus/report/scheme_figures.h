// What a scheme does, as figures: to scores over distance and over positions, head by head, and to the input
// where it acts there.
#pragma once

#include <vector>

#include "locus/report/figure.h"
#include "locus/report/probe.h"

namespace locus::report {

// Over positions 0 .. length - 1. Long texts are looked at in even steps.
std::vector<Figure> scheme_figures(const Probe& probe, int64_t length);

}  // namespace locus::report
