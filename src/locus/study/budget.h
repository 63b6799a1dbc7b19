// Fits a study into a time limit.
#pragma once

#include "locus/study/study.h"

namespace locus::study {

// Seconds of one task: one training step of every scheme, and one test of every scheme.
struct Pace {
  double step = 0, test = 0;
};

// One per task, measured on this machine with a few steps of every cell. Throws if measuring takes longer
// than `seconds`.
std::vector<Pace> paces(const Study& study, double seconds);

double expected_seconds(const Study& study, const std::vector<Pace>& paces);

// The largest study that fits: first with fewer steps, at least half of them; then with fewer seeds; then
// with fewer tasks, the last ones removed first. Throws if one seed of the first task at half the steps does
// not fit.
Study fitted(Study study, const std::vector<Pace>& paces, double seconds);

}  // namespace locus::study
