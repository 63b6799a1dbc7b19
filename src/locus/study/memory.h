// What a study needs of memory, known before it starts.
#pragma once

#include "locus/study/study.h"

namespace locus::study {

struct Need {
  int64_t bytes = 0;
  std::string what;   // "testing fire on a text of 65536 tokens"
  std::string lower;  // what makes it less
};

// The largest of all cells. Each scheme runs on short texts; tensors grow as a + b L + c L^2 with the length,
// and by the same amount with every text of a batch, so three lengths and two batches tell the rest.
Need largest_need(const Study& study);

// Refuses a study that needs more than `available` bytes. One too small to be short of memory anywhere is not
// measured.
void require_memory(const Study& study, int64_t available);

}  // namespace locus::study
