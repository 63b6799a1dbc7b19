// A study cut down to a time.
#pragma once

#include "locus/study/study.h"

namespace locus::study {

// What one task takes: a training step of every scheme once, and testing every scheme once, in seconds.
struct Pace {
  double step = 0, test = 0;
};

// Of every task of the list, timed on this machine by a few steps of every cell. When that takes longer than
// these seconds already, it is refused.
std::vector<Pace> paces(const Study& study, double seconds);

double expected_seconds(const Study& study, const std::vector<Pace>& paces);

// As much of the study as fits: first fewer steps, down to half of what it asks for, then fewer seeds, then
// fewer tasks, the last ones first. Not even one seed of the first task at half the steps: refused with the
// time that takes.
Study fitted(Study study, const std::vector<Pace>& paces, double seconds);

}  // namespace locus::study
