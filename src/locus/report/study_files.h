// The results of a finished study as files in its folder: results.json, results.csv, report.html and
// length.svg.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/study/summary.h"

namespace locus::report {

struct StudyFiles {
  study::Summary summary;  // with the step times of all schemes, which are measured here
  std::string json, csv, page;
};

StudyFiles write_study_files(const study::Study& study, const std::vector<study::Cell>& cells,
                             const std::filesystem::path& folder);

}  // namespace locus::report
