// One cell of a study: a model with one scheme, trained on one task with one seed, tested at every length.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "locus/nn/model.h"
#include "locus/study/conditions.h"

namespace locus::study {

// Why a score has no value although the scheme is defined at this length.
inline constexpr std::string_view kNotFinite = "the loss is not a number";

struct Score {
  int64_t length = 0;
  double value = 0;  // accuracy or perplexity, by the task's metric; NaN: no value
  std::string why;   // why there is no value
};

// The mean loss of the tokens at positions begin .. end - 1.
struct PositionLoss {
  int64_t begin = 0, end = 0;
  double loss = 0;  // NaN if no token there has a target
};

// Bins of positions: bounds at powers of two and halfway between them, at the trained length and at `length`.
std::vector<PositionLoss> position_bins(int64_t trained, int64_t length);

// The scores of the trained model (no variant), or of its parameters with other options of the scheme.
struct Row {
  std::string variant;
  std::vector<Score> scores;
  std::vector<PositionLoss> by_position;  // at the longest length that has a value
};

struct CellName {
  std::string task, scheme;
  uint64_t seed = 0;
  std::string text() const;  // also the name of its file
};

// Times outside of this range are not measured, and ratios of times inside of it are numbers.
inline constexpr double kLeastStepSeconds = 1e-9, kMostStepSeconds = 1e6;

struct Cell {
  CellName name;
  std::vector<Row> rows;
  double loss = 0;          // training loss, mean of the last tenth of the steps
  int64_t parameters = 0;   // of the scheme alone
  double step_seconds = 0;  // a tenth of the steps is faster: other programs disturb fast steps least
  int64_t step_bytes = 0;   // peak memory of a step
};

// The number of texts of this length in a batch of a test.
int64_t texts_in_test_batch(int64_t length);

// The rows of a trained model: one without a variant, and one for each extension of the scheme.
std::vector<Row> tested(const Model& model, const Conditions& conditions, const Task& task,
                        const CellName& name);

// Called repeatedly with the fraction of the cell that is done, 0 to 1; throws to stop.
using CellProgress = std::function<void(double fraction)>;

struct Finished {
  Cell cell;
  std::unique_ptr<Model> model;
};
Finished run_cell(const Conditions& conditions, const Task& task, const CellName& name,
                  const CellProgress& progress);

}  // namespace locus::study
