// One cell of a study: a model under one scheme, trained on one task from one seed, tested at every length.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "locus/nn/model.h"
#include "locus/study/conditions.h"

namespace locus::study {

// Why a score has no value though the scheme had a row for every position.
inline constexpr std::string_view kNoNumber = "the loss is not a number";

struct Score {
  int64_t length = 0;
  double value = 0;  // accuracy or perplexity, as the task says; NaN where there is none
  std::string why;   // then: why not
};

// The scores of the trained model as it is (no variant), or of its parameters under other options.
struct Row {
  std::string variant;
  std::vector<Score> scores;
};

struct CellName {
  std::string task, scheme;
  uint64_t seed = 0;
  std::string text() const;  // also a file's name
};

struct Cell {
  CellName name;
  std::vector<Row> rows;
  double loss = 0;          // of the last tenth of the training steps, their mean
  int64_t parameters = 0;   // of the scheme alone
  double step_seconds = 0;  // the median
  int64_t step_bytes = 0;   // the most memory a step took
};

// Called now and then with the part of the cell that is done, 0 to 1; throws to stop.
using CellProgress = std::function<void(double part)>;

struct Finished {
  Cell cell;
  std::unique_ptr<Model> model;
};
Finished run_cell(const Conditions& conditions, const Task& task, const CellName& name,
                  const CellProgress& progress);

}  // namespace locus::study
