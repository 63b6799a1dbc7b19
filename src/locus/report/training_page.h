// The page of a training run: training and validation loss, learning rate and gradient norm.
#pragma once

#include <string>
#include <string_view>

#include "locus/report/page.h"
#include "locus/train/metrics.h"

namespace locus::report {

// Long runs are drawn as means over equal groups of steps, so that the page stays small.
std::string training_page(std::string_view title, const Metrics& metrics);

}  // namespace locus::report
