// The table of a study's report: schemes by tasks.
#pragma once

#include <string>

#include "locus/report/page.h"
#include "locus/study/verdict.h"

namespace locus::report {

// The value at the trained and at the longest length, how far the scheme works, and its cost. `pick` is the
// verdict's choice.
void add_matrix(Page& page, const study::Summary& summary, const std::string& pick);

// A perplexity of a text in bits per byte.
TableCell bits_cell(const study::TaskSummary& task, const study::Mean& mean);

}  // namespace locus::report
