#include "locus/run/saved_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/fingerprint.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/run/manifest.h"
#include "locus/run/run_folder.h"
#include "locus/run/run_settings.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabelsFile = "labels.json";

// Candidates for the checkpoint to open, best first.
std::vector<fs::path> candidates_in(const fs::path& folder, Which which) {
  const bool exists = is_folder(folder);
  if (exists && is_there(folder / "config.toml")) return {folder};
  std::vector<fs::path> places;
  if (exists) {
    const std::vector<fs::path> entries = entries_of(folder);  // includes broken links
    for (const fs::path& link : {folder / "best", folder / "last"}) {
      if (which == Which::newest && link.filename() == "best") continue;
      if (std::ranges::count(entries, link) > 0) places.push_back(link);
    }
    for (const int64_t step : saved_steps(folder)) places.push_back(step_folder(folder, step));
  }
  if (places.empty()) {
    fail({exists ? Fault::data : Fault::io, Code::missing_file},
         "{} '{}', expected the folder of a training run", exists ? "no checkpoint in" : "no folder",
         folder.string());
  }
  return places;
}

// The first candidate that is not damaged.
fs::path checkpoint_in(const fs::path& folder, Which which, std::vector<std::string>& warnings) {
  std::string problem;
  for (const fs::path& place : candidates_in(folder, which)) {
    try {
      verify_manifest(place);
    } catch (const Error& error) {
      if (error.fault() != Fault::data && error.fault() != Fault::io) throw;
      if (problem.empty()) problem = error.what();
      continue;
    }
    if (!problem.empty()) {
      warnings.push_back(fmt::format("{}; using '{}' instead", problem, place.string()));
    }
    return place;
  }
  fail({Fault::data, Code::damaged_file}, "all checkpoints in '{}' are damaged: {}", folder.string(),
       problem);
}

std::vector<std::string> read_labels(const fs::path& file) {
  std::vector<std::string> labels;
  const json::Document json(file);
  const json::Value value = json.member("labels");
  const auto list = value.list();
  if (!list) json.refuse("'labels'", value, "a list");
  for (const json::Value item : *list) {
    const auto label = item.text();
    if (!label) json.refuse("a label", item, "a string");
    labels.emplace_back(*label);
  }
  return labels;
}

}  // namespace

namespace {

// A checkpoint is data, so its errors name the file and are not errors of usage.
TextTask read_task(const Settings& config, const fs::path& file) {
  try {
    return task_of(config);
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) throw;
    throw Error({Fault::data, error.code(), error.hint()},
                fmt::format("'{}': {}", file.string(), error.message()), error.values());
  }
}

}  // namespace

bool is_run(const fs::path& folder) {
  return std::ranges::any_of(std::vector{"config.toml", "best/config.toml", "last/config.toml", "steps"},
                             [&](const char* name) { return is_there(folder / name); });
}

RunTask read_run_task(const fs::path& folder, Which which) {
  RunTask run;
  run.checkpoint = checkpoint_in(folder, which, run.warnings);
  run.state = read_state(run.checkpoint);
  const Settings config = Settings::read(run.checkpoint / "config.toml");
  if (const Setting* start = config.find("model.from")) run.start = start->value;
  run.task = read_task(config, run.checkpoint / "config.toml");
  run.task.tokenizer = load_tokenizer(run.checkpoint.string());
  if (is_there(run.checkpoint / kLabelsFile)) run.task.labels = read_labels(run.checkpoint / kLabelsFile);
  return run;
}

SavedRun load_run(const fs::path& folder, DType weights, Device device) {
  RunTask run = read_run_task(folder);
  const Blueprint& blueprint = run.task.blueprint;
  const SafetensorsFile file(run.checkpoint / "model.safetensors");
  require_numbers(blueprint, file.numbers(), run.checkpoint / "config.toml");
  Model model(blueprint, {.seed = std::nullopt, .weights = weights, .device = device});
  read_parameters(file, model.parameters());
  return {std::move(run), std::move(model)};
}

std::vector<std::pair<std::string, std::string>> files_of(const TextTask& task, const fs::path& scratch) {
  task.tokenizer->save(scratch);
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::path& entry : entries_of(scratch)) files.emplace_back(entry.filename(), read_file(entry));
  remove_whole(scratch);
  if (!task.labels.empty()) {
    files.emplace_back(kLabelsFile, json::object({{"labels", json::texts(task.labels)}}) + "\n");
  }
  for (const auto& [name, data] : {std::pair(kTrainingDataFile, task.data.train),
                                   std::pair(kValidationDataFile, task.data.validation)}) {
    if (!data.empty()) files.emplace_back(name, fingerprint(data));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace locus
