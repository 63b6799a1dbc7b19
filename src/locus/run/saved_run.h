// A trained model with its tokenizer and labels, loaded from a checkpoint of a run. It is ready to evaluate
// and to generate.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/run/run_folder.h"
#include "locus/run/text_task.h"

namespace locus {

// Whether a folder is a run folder or a checkpoint of a run. Hugging Face model folders are neither.
bool is_run(const std::filesystem::path& folder);

// The task of a run without its weights, from the checkpoint that load_run() opens.
struct RunTask {
  std::filesystem::path checkpoint;
  RunState state;               // of the checkpoint
  std::filesystem::path start;  // what model.from names; empty: from scratch
  TextTask task;                // with its tokenizer and labels
  std::vector<std::string> warnings;
};
enum class Which { best, newest };  // checkpoint of a run folder
RunTask read_run_task(const std::filesystem::path& folder, Which which = Which::best);

// Opens a checkpoint. For a run folder this is the best checkpoint, or the last one if the run had no
// validation. All checksums are verified. If that checkpoint is damaged, the newest undamaged one of the run
// is opened, with a warning. `weights`: see Model::Options.
struct SavedRun : RunTask {
  Model model;
};
SavedRun load_run(const std::filesystem::path& folder, DType weights = DType::f32,
                  Device device = Device::cpu);

// Fingerprints of the data among the files below.
inline constexpr const char *kTrainingDataFile = "training-data.txt",
                            *kValidationDataFile = "validation-data.txt";
// The files that a checkpoint stores next to weights and configuration: the tokenizer and the label names,
// which load_run() needs, and a fingerprint of the data. `scratch` is a folder for temporary files.
std::vector<std::pair<std::string, std::string>> files_of(const TextTask& task,
                                                          const std::filesystem::path& scratch);

}  // namespace locus
