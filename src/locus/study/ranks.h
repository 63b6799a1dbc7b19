// A study that several processes compute together, the ranks of a job. Rank 0 has the folder, hands out
// cells, and computes cells as well. The other ranks need no folder: they get the settings from rank 0, and
// return their cells to it. Results have the same bits for any number of ranks.
#pragma once

#include "locus/dist/crew.h"
#include "locus/study/study.h"

namespace locus::study {

// On rank 0. Throws dist::Stop if Watcher::stop or another rank asks to stop. Finished cells are kept.
std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher,
                      dist::Transport& transport);

// On the other ranks, meanwhile: computes cells for rank 0. Returns the number with which the job stopped, or
// 0. Throws Fault::peer if this process would compute other results than rank 0: it has another version,
// another SIMD target or GPU, another device or another text.
int help(dist::Transport& transport, Device device, const dist::StopAsked& stop);

}  // namespace locus::study
