// A trained model and all that goes with it, as a checkpoint of a run holds them: what evaluates, generates
// and explains.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/train/text_task.h"

namespace locus {

struct SavedRun {
  std::filesystem::path checkpoint;
  TextTask task;  // with its tokenizer and labels
  Model model;
  std::vector<std::string> warnings;
};

// Whether a folder is a run's, or a checkpoint of one; model folders of the hub are neither.
bool is_run(const std::filesystem::path& folder);

// Opens a checkpoint, or the best one of a run's folder, the last where nothing was validated. Every bit is
// compared with what was saved; in place of a damaged one comes the newest of the run that is whole, with a
// warning. `weights` as in Model::Options.
SavedRun load_run(const std::filesystem::path& folder, DType weights = DType::f32);

// What is saved beside weights and configuration: the tokenizer's files and the names of labels, which
// load_run() needs, and what tells the data from others. `scratch` is a folder to write in.
std::vector<std::pair<std::string, std::string>> files_of(const TextTask& task,
                                                          const std::filesystem::path& scratch);

}  // namespace locus
