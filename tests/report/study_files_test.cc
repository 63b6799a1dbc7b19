// The report of a study whose models have no finite values, because their training diverged.
#include "locus/report/study_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::report {
namespace {

using study::Cell;

// The files of a study in which every score is `value`, and no position has a loss.
StudyFiles files_with(double value, const char* why, const std::string& schemes = study::tiny().schemes) {
  const TemporaryFolder folder;
  study::Study study = study::tiny();
  study.seeds = 1;
  study.schemes = schemes;
  std::vector<Cell> cells = study::run(study, folder.path(), {});
  for (Cell& cell : cells) {
    for (study::Row& row : cell.rows) {
      for (study::Score& score : row.scores) score = {score.length, value, why};
      for (study::PositionLoss& bin : row.by_position) bin.loss = std::nan("");
    }
  }
  return write_study_files(study, cells, folder.path());
}

TEST(StudyFiles, ModelsWithoutAValueHaveAReport) {
  const StudyFiles files = files_with(std::nan(""), study::kNotFinite.data());
  EXPECT_NE(files.page.find("No scheme has a finite value."), std::string::npos);
  EXPECT_NE(files.page.find("not finite"), std::string::npos);
}

TEST(StudyFiles, ModelsWithInfinitePerplexityHaveAReport) {
  for (const double value : {std::numeric_limits<double>::infinity(), 1e305}) {
    EXPECT_NE(files_with(value, "").page.find("No scheme has a finite value."), std::string::npos) << value;
  }
}

// Without a control, any perplexity counted as learned.
TEST(StudyFiles, AModelWithoutAValueHasNotLearned) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(files_with(value, "", "learned").json.find("\"learned\": false"), std::string::npos) << value;
  }
}

}  // namespace
}  // namespace locus::report
