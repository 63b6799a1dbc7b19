// The page of a training run: training and validation loss, learning rate and gradient norm.
#pragma once

#include <string>
#include <string_view>

#include "locus/report/page.h"
#include "locus/run/run_folder.h"
#include "locus/train/metrics.h"
#include "locus/train/run_changes.h"

namespace locus::report {

// Long runs are drawn as means over equal groups of steps, so that the page stays small. `changes` are those
// of a continued run.
std::string training_page(std::string_view title, const Metrics& metrics,
                          const std::vector<RunChange>& changes = {});

// Writes the page as training.html in the run folder.
void write_training_page(const RunFolder& folder);

}  // namespace locus::report
