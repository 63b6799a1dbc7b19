// A run as its configuration describes it: the model, the data and the training steps.
//   [model]          the fields of a Blueprint; vocabulary, labels and max_length default to the data's.
//                    Or the fields of HubStart: `from`, a model folder or a run to start from
//   [model.scheme]   name, and the options of that scheme. Combined schemes have one subsection each
//   [data]           the fields of DataSettings: files, tokenizer, windows and batches
//   [train]          the fields of TrainSettings
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "locus/base/settings.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/run/text_task.h"
#include "locus/train/samples.h"
#include "locus/train/trainer.h"

namespace locus {

struct RunPlan {
  Settings config;  // every setting with its value, defaults included
  TextTask task;
  TrainSettings train;
  std::unique_ptr<Samples> training, validation;  // validation may be absent
  std::string from;                               // what model.from names; empty: from scratch
  std::optional<ModelFolder> start;               // the folder in model.from, unless it is changed
  std::optional<Model> model;                     // the changed model of that folder, or a run's
  bool exports = false;                           // the run also writes a model folder
  std::vector<std::string> notes;                 // for the user, one line each
};

// Reads the files that the settings name. Relative paths in a configuration file are relative to its folder.
// A file that does not exist is searched by its file name in the folder that the environment variable
// LOCUS_DATA names. All errors in the settings are reported together.
RunPlan plan_run(const Settings& settings, const std::filesystem::path& folder);

// The average number of tokens of a micro-batch.
double tokens_per_micro_batch(const RunPlan& plan);

// The model at step 0: randomly initialized, or moved out of the plan.
Model initial_model(RunPlan& plan);

}  // namespace locus
