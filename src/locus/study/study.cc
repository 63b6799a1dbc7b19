#include "locus/study/study.h"

#include "locus/base/file.h"
#include "locus/base/fingerprint.h"
#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/base/settings.h"
#include "locus/base/trim.h"
#include "locus/checkpoint/parameters_file.h"

namespace locus::study {
namespace {

constexpr const char *kStudyFile = "study.toml", *kTextFile = "text.txt", *kCells = "cells",
                     *kModels = "models";

// The chosen items without repeats, in the order of the user's list.
template <class T, class Find>
std::vector<const T*> chosen(std::string_view list, std::span<const T* const> all, Find find) {
  if (list == "all") return {all.begin(), all.end()};
  std::vector<const T*> result;
  for (const std::string_view word : split(list, ',')) {
    if (word.empty()) continue;
    const T* const one = &find(word);
    if (std::ranges::count(result, one) == 0) result.push_back(one);
  }
  return result;
}

}  // namespace

std::vector<const Task*> Study::task_list() const {
  std::vector<const Task*> list =
      chosen<Task>(tasks, study::tasks(), [](std::string_view name) -> const Task& { return task(name); });
  if (!text.empty()) {
    if (!text_task_) text_task_ = std::make_shared<const Task>(study::text_task(text));
    list.insert(list.begin(), text_task_.get());
  }
  return list;
}

std::vector<const SchemeInfo*> Study::scheme_list() const {
  return chosen<SchemeInfo>(schemes, locus::schemes(),
                            [](std::string_view name) -> const SchemeInfo& { return scheme_info(name); });
}

const Task& Study::task_named(std::string_view name) const {
  for (const Task* task : task_list()) {
    if (task->name == name) return *task;
  }
  return task(name);
}

std::vector<CellName> Study::cells() const {
  std::vector<CellName> list;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(seeds); ++seed) {
    for (const Task* task : task_list()) {
      for (const SchemeInfo* scheme : scheme_list()) {
        list.push_back({std::string(task->name), std::string(scheme->name), seed});
      }
    }
  }
  return list;
}

void check(const Study& study) {
  std::vector<std::string> found;
  {
    Study copy;
    found = read_fields(copy, field_values(study));
  }
  const auto note = [&](const auto& test) {
    try {
      test();
    } catch (const Error& error) {
      if (error.fault() == Fault::io) throw;  // a missing file is not a problem of the settings
      found.emplace_back(error.what());
    }
  };
  note([&] { require(!study.task_list().empty(), "no tasks in the study, expected at least one"); });
  note([&] { require(!study.scheme_list().empty(), "no schemes in the study, expected at least one"); });
  note([&] { study.conditions.test_lengths(); });
  refuse("study", found);
  if (!study.text.empty()) {  // it may be too short for the longest example
    note([&] {
      study.task_list().front()->make(study.conditions.test_lengths().back(),
                                      Random(1, static_cast<uint64_t>(List::test)));
    });
  }
  for (const Task* task : study.task_list()) {
    for (const int64_t length : study.conditions.test_lengths()) {
      if (std::min(length, study.conditions.length) >= task->shortest) continue;
      found.push_back(fmt::format("length too short for the task {}: got {} tokens, expected at least {}",
                                  task->name, std::min(length, study.conditions.length), task->shortest));
    }
    for (const std::string& problem : problems(blueprint(study.conditions, *task, "none")))
      found.push_back(problem);
  }
  refuse("study", found);
}

namespace {

Settings settings_of(const Study& study) {
  Settings settings;
  for (const auto& [name, value] : field_values(study)) settings.set(name, value);
  return settings;
}

// The text is identified by its contents, so its file can move.
void claim_text(const Study& study, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kTextFile;
  const std::string now = fingerprint(study.text);
  if (!is_there(file)) return write_file(file, now);
  if (read_file(file) == now) return;
  fail({Fault::usage, Code::run_mismatch, "choose another folder"},
       "the study in {} was started with another text than {}", folder.string(), study.text);
}

// Writes the settings into a new folder, or throws if the folder has other settings.
void claim(const Study& study, const std::filesystem::path& folder) {
  if (std::optional<Study> existing = study_in(folder)) {
    if (!study.text.empty() && !existing->text.empty()) existing->text = study.text;
    const auto found = differences(settings_of(*existing), settings_of(study));
    if (!found.empty()) {
      fail({Fault::usage, Code::run_mismatch},
           "{} contains a study with other settings; choose another folder, or the same settings:\n  {}",
           folder.string(), fmt::join(found, "\n  "));
    }
  } else {
    write_file(folder / kStudyFile, study_toml(study));
  }
  if (!study.text.empty()) claim_text(study, folder);
}

}  // namespace

Study read_study(const std::filesystem::path& file) {
  Study study;
  const Settings settings = Settings::read(file);
  std::vector<std::string> names;
  for (const Field& field : fields_of(study)) names.emplace_back(field.spec.name);
  settings.require_known(std::vector<std::string_view>(names.begin(), names.end()));
  refuse(file.string(), read_fields(study, settings.section("")));
  // Relative to the file, as in a training run; the study.toml of a folder has the absolute path.
  if (!study.text.empty()) study.text = absolute_path(file.parent_path() / study.text).string();
  return study;
}

std::optional<Study> study_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kStudyFile;
  return is_there(file) ? std::optional(read_study(file)) : std::nullopt;
}

std::string study_toml(const Study& study) { return settings_of(study).toml(); }

std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher) {
  check(study);
  const bool resumed = take_folder(folder, kCells);
  make_folder(folder / kModels);
  const FolderLock lock(folder / "lock");
  if (resumed)
    clear_debris(folder, {kStudyFile, kTextFile, "results.json", "results.csv", "report.html", "length.svg"});
  for (const char* part : {kCells, kModels}) clear_debris(folder / part);
  claim(study, folder);
  std::vector<Cell> cells;
  for (const CellName& name : study.cells()) {
    const std::filesystem::path path = folder / kCells / (name.text() + ".json");
    const bool has_model = name.seed != 1 || is_there(model_file(folder, name));
    const bool known = has_model && is_there(path);
    if (known) {
      cells.push_back(read_cell(path));
      check_cell(study, name, cells.back(), path);
    } else {
      Finished done = run_cell(study.conditions, study.task_named(name.task), name, [&](double fraction) {
        if (watcher.progress) watcher.progress(name, fraction);
      });
      // The model first: a cell that exists is complete.
      if (name.seed == 1) {
        write_safetensors(model_file(folder, name), named_tensors(done.model->parameters()));
      }
      write_file(path, cell_json(done.cell));
      cells.push_back(std::move(done.cell));
    }
    if (watcher.finished) watcher.finished(cells.back(), !known);
  }
  return cells;
}

std::filesystem::path model_file(const std::filesystem::path& folder, const CellName& name) {
  return folder / kModels / fmt::format("{}.{}.safetensors", name.task, name.scheme);
}

}  // namespace locus::study
