// A list of lengths as an option, and the progress of their evaluation.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "locus/cli/progress_line.h"
#include "locus/train/predictions.h"

namespace locus::cli {

// "512,1024": whole numbers, comma-separated; none for a blank text. Fails for any other text.
std::vector<int64_t> lengths_of(std::string_view text);

SampleProgress progress_on(ProgressLine& line);

}  // namespace locus::cli
