// The steps of plan_run() and plan_continued(), which read the sections of a configuration.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "locus/base/fields.h"
#include "locus/base/settings.h"
#include "locus/train/run_plan.h"

namespace locus {

// Adds a problem for every setting outside of these sections.
void check_sections(const Settings& settings, std::vector<std::string>& problems);

// The tokenizer that data.tokenizer names.
std::shared_ptr<const Tokenizer> open_tokenizer(const std::string& name);

// Throws Code::wrong_head for a head that predicts nothing, and so has no loss.
void require_loss(HeadKind head);

// Makes the paths in [data] absolute. A relative path in a file is relative to `folder`.
void resolve_data(DataSettings& data, const Settings& settings, const std::filesystem::path& folder);
// The same for model.from. Throws if there is no model folder and no run.
void resolve_start(std::string& from, const Settings& settings, const std::filesystem::path& folder);
void resolve_path(std::string& name, const Settings& settings, const char* key,
                  const std::filesystem::path& folder);

// Reads the training and validation samples of plan.task.
void read_data(RunPlan& plan);
// Every setting of the plan with its value.
Settings resolved(const RunPlan& plan);

}  // namespace locus
