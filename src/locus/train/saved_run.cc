#include "locus/train/saved_run.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/text/json_text.h"
#include "locus/train/manifest.h"
#include "locus/train/run_plan.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabelsFile = "labels.json";

fs::path checkpoint_in(const fs::path& folder) {
  for (const fs::path& place : {folder, folder / "best", folder / "last"}) {
    if (is_there(place / "model.safetensors")) return place;
  }
  const bool there = is_folder(folder);
  fail(there ? Fault::data : Fault::io, "'{}' {}; expected the folder of a run (locus train makes one)",
       folder.string(), there ? "holds no checkpoint" : "is no folder");
}

std::vector<std::string> read_labels(const fs::path& file) {
  std::vector<std::string> labels;
  const JsonText json(file);
  const simdjson::dom::element value = json.member("labels");
  simdjson::dom::array list;
  if (value.get_array().get(list)) json.refuse("'labels'", value, "a list");
  for (const simdjson::dom::element item : list) {
    std::string_view label;
    if (item.get_string().get(label)) json.refuse("a label", item, "a string");
    labels.emplace_back(label);
  }
  return labels;
}

}  // namespace

SavedRun load_run(const fs::path& folder, DType weights) {
  const fs::path checkpoint = checkpoint_in(folder);
  verify_manifest(checkpoint);
  TextTask task = task_of(Settings::read(checkpoint / "config.toml"));
  task.tokenizer = load_tokenizer(checkpoint.string());
  if (is_there(checkpoint / kLabelsFile)) task.labels = read_labels(checkpoint / kLabelsFile);
  const SafetensorsFile file(checkpoint / "model.safetensors");
  require_numbers(task.blueprint, file.numbers(), checkpoint / "config.toml");
  Model model(task.blueprint, {.seed = std::nullopt, .weights = weights});
  read_parameters(file, model.parameters());
  return {.checkpoint = checkpoint, .task = std::move(task), .model = std::move(model)};
}

std::vector<std::pair<std::string, std::string>> files_of(const TextTask& task, const fs::path& scratch) {
  task.tokenizer->save(scratch);
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::path& entry : entries_of(scratch)) files.emplace_back(entry.filename(), read_file(entry));
  remove_whole(scratch);
  if (!task.labels.empty()) {
    const std::vector<std::string_view> names(task.labels.begin(), task.labels.end());
    files.emplace_back(kLabelsFile, json::object({{"labels", json::texts(names)}}) + "\n");
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace locus
