// Compares the configuration and the data of a training job with those of a checkpoint.
#pragma once

#include <filesystem>
#include <vector>

#include "locus/train/run_changes.h"
#include "locus/train/trainer.h"

namespace locus {

std::vector<SettingChange> config_changes(const TrainJob& job, const std::filesystem::path& checkpoint);
void refuse_changes(const TrainJob& job, const std::vector<SettingChange>& changes);

// A resumed run must have the same data. With another tokenizer or other labels, the ids that the model
// learned would have another meaning, also in a continued run.
void check_files(const TrainJob& job, const std::filesystem::path& checkpoint);

// The changes of settings and of data files.
std::vector<RunChange> all_changes(const TrainJob& job, const std::filesystem::path& checkpoint,
                                   const std::vector<SettingChange>& settings);

}  // namespace locus
