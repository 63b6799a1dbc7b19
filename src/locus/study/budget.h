// Fits a study into a time limit.
#pragma once

#include <string_view>

#include "locus/study/study.h"

namespace locus::study {

// Seconds of one task: one training step of every scheme, and one test of every scheme.
struct Pace {
  double step = 0, test = 0;
};

// One per task, measured on this machine with a few steps of every cell. Throws if measuring takes longer
// than `seconds`.
std::vector<Pace> paces(const Study& study, double seconds);

// With several equally fast processes, the last one may end later than the others by one cell.
double expected_seconds(const Study& study, const std::vector<Pace>& paces, int processes = 1);

// The largest study that fits: first with fewer steps, at least half of them; then with fewer seeds; then
// with fewer tasks, the last ones removed first. Throws if one seed of the first task at half the steps does
// not fit.
Study fitted(Study study, const std::vector<Pace>& paces, double seconds, int processes = 1);

// The seconds of a time such as 90s, 5m or 1.5h. Throws if `text`, the value of `option`, is none.
double budget_seconds(std::string_view option, std::string_view text);

struct Budgeted {
  Study study;
  double seconds = 0;         // expected
  double seconds_of_all = 0;  // of the study that was asked for
};

// The largest study that fits into the time, of which some is left for the report. Measures paces().
Budgeted within(const Study& study, double seconds, int processes = 1);

// A study that grows keeps the tasks, seeds and steps that the budget chose at its start.
Study with_size_of(const Study& existing, Study study);

}  // namespace locus::study
