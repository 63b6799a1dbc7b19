// What `locus train` reports before the first step: the data, the model and the steps, and likely mistakes.
#pragma once

#include <string>

#include "locus/train/data_summary.h"
#include "locus/train/run_plan.h"

namespace locus::cli {

// Aligned lines. `step` is the number of finished steps, above 0 for a run that resumes.
std::string run_summary(const RunPlan& plan, const DataSummary& data, const Model& model,
                        const std::filesystem::path& run, int64_t step);

}  // namespace locus::cli
