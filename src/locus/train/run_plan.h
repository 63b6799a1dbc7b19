// A run as its configuration says it: the model, the data, the steps.
//   [model]          the fields of a Blueprint; vocabulary, labels and max_length come from the data when
//                    they are not given. Or those of HubStart: `from`, a model folder to start from
//   [model.scheme]   name, and the options of that scheme; of several at once in a section each
//   [data]           the fields of DataSettings: files, tokenizer, windows and batches
//   [train]          the fields of TrainSettings
#pragma once

#include <filesystem>
#include <memory>

#include "locus/base/settings.h"
#include "locus/train/hub_run.h"
#include "locus/train/text_task.h"
#include "locus/train/trainer.h"

namespace locus {

struct RunPlan {
  Settings config;  // every setting with its value, defaults included
  TextTask task;
  TrainSettings train;
  std::unique_ptr<Samples> training, validation;  // validation may be absent
  std::optional<ModelFolder> start;               // what model.from names
};

// Reads the files the settings name. Relative names in a configuration file are seen from its folder; what is
// not there is looked for under its last name in the folder that LOCUS_DATA names. Everything that is wrong
// with the settings comes in one error.
RunPlan plan_run(const Settings& settings, const std::filesystem::path& folder);

// The model that a run begins with, drawn or out of the folder it starts from. It leaves the plan.
Model first_model(RunPlan& plan);

// The task that a resolved configuration describes, less tokenizer and labels: what plan_run() wrote reads
// back.
TextTask task_of(const Settings& config);

}  // namespace locus
