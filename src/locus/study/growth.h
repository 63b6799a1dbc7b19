// A study folder can grow: schemes, tasks, a text, seeds and test lengths can be added to it. Finished cells
// are kept, and the results have the same bits as those of a study that had everything from the start.
#pragma once

#include "locus/study/study.h"

namespace locus::study {

// The study of a folder together with what another one adds. The order is that of `wanted` if it has
// everything; else new schemes and tasks come last. Throws if `wanted` differs in a setting that all cells
// depend on, and names the differences.
Study grown(const Study& existing, const Study& wanted, const std::filesystem::path& folder);

// What run() has to do in a folder.
struct Work {
  int64_t found = 0;     // finished cells
  int64_t to_test = 0;   // trained cells that lack a test length
  int64_t to_train = 0;  // missing cells, and cells that lack a test length and whose model was not kept
};
Work work_left(const Study& study, const std::filesystem::path& folder);

}  // namespace locus::study
