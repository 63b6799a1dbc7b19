// The curves of a training run as a page: the loss, in training and in validation, and the learning rate.
#pragma once

#include <string>
#include <string_view>

#include "locus/report/page.h"
#include "locus/train/metrics.h"

namespace locus::report {

// Of thousands of steps the training loss is drawn as means over equal runs of steps, so that the page stays
// small.
std::string training_page(std::string_view title, const Metrics& metrics);

}  // namespace locus::report
