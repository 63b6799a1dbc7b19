// How much memory a study needs, estimated before it starts.
#pragma once

#include "locus/study/study.h"

namespace locus::study {

struct Need {
  int64_t bytes = 0;
  std::string what;   // "testing fire on a text of 65536 tokens"
  std::string lower;  // which settings to lower
};

// The largest need of all cells. Memory grows as a + b L + c L^2 with the length and linearly with the batch,
// so it follows from short texts of three lengths in two batch sizes.
Need largest_need(const Study& study);

// Throws if a study needs more than `available` bytes. Studies that fit on every machine are not measured.
void require_memory(const Study& study, int64_t available);

}  // namespace locus::study
