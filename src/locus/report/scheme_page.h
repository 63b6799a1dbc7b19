// The page of one scheme: what it computes, facts about it, and its figures.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "locus/report/figure.h"
#include "locus/report/probe.h"

namespace locus::report {

// `conditions` describes the model that the figures are for.
std::string scheme_page(const Probe& probe, std::span<const Figure> figures, std::string_view conditions);

}  // namespace locus::report
