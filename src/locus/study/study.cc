#include "locus/study/study.h"

#include "locus/base/file.h"
#include "locus/base/folder.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/trim.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/study/growth.h"

namespace locus::study {
namespace {

constexpr const char *kStudyFile = "study.toml", *kTextFile = "text.txt", *kCells = "cells",
                     *kModels = "models";

std::filesystem::path cell_file(const std::filesystem::path& folder, const CellName& name) {
  return folder / kCells / (name.text() + ".json");
}

// The words of a list without repeats, in the user's order. The word "all" means all names.
template <class T>
std::vector<std::string_view> words_of(std::string_view list, std::span<const T* const> all) {
  std::vector<std::string_view> words;
  const auto add = [&](std::string_view word) {
    if (!word.empty() && std::ranges::count(words, word) == 0) words.push_back(word);
  };
  for (const std::string_view word : split(list, ',')) {
    if (word != "all") {
      add(word);
      continue;
    }
    for (const T* one : all) add(one->name);
  }
  return words;
}

}  // namespace

std::vector<const Task*> Study::task_list() const {
  std::vector<const Task*> list;
  for (const std::string_view word : words_of(tasks, study::tasks())) list.push_back(&task(word));
  if (!text.empty()) {
    const std::pair key(text, tokenizer);
    if (!text_task_ || text_task_->first != key) {
      text_task_ = std::make_shared<const NamedTask>(key, text_task(text, tokenizer));
    }
    list.insert(list.begin(), &text_task_->second);
  }
  return list;
}

std::vector<SchemeChoice> Study::scheme_list() const {
  std::vector<SchemeChoice> list;
  for (const std::string_view word : words_of(schemes, locus::schemes())) {
    SchemeChoice choice = scheme_choice(word);
    const auto same = [&](const SchemeChoice& other) { return other.word() == choice.word(); };
    if (std::ranges::none_of(list, same)) list.push_back(std::move(choice));
  }
  return list;
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
      for (const SchemeChoice& scheme : scheme_list()) {
        list.push_back({std::string(task->name), scheme.word(), seed});
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
  if (study.text.empty() && study.tokenizer != Study().tokenizer) {
    found.push_back(fmt::format("tokenizer is {}, but the study has no text", quote(study.tokenizer)));
  }
  refuse("study", found);
  if (!study.text.empty()) {  // it may be too short for the longest examples
    const Task& text = *study.task_list().front();
    const auto example = [&](int64_t length, List list) {
      note([&] { text.make(length, Random(1, static_cast<uint64_t>(list))); });
    };
    example(study.conditions.length, List::training);
    example(study.conditions.test_lengths().back(), List::test);
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
  for (const SchemeChoice& choice : study.scheme_list()) {  // options that do not fit together
    if (choice.options.empty()) continue;
    const Task& task = *study.task_list().front();
    note([&] { Model(blueprint(study.conditions, task, choice.word()), {.seed = std::nullopt}); });
  }
  refuse("study", found);
}

namespace {

// The text is identified by its contents and its tokens, so files can move.
void claim_text(const Study& study, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kTextFile;
  const std::string& now = study.task_list().front()->text->identity;
  if (!is_there(file)) return write_file(file, now);
  if (read_file(file) == now) return;
  fail({Fault::usage, Code::run_mismatch, "choose another folder"},
       "the study in {} was started with another text or tokenizer than {} with tokenizer {}",
       folder.string(), study.text, study.tokenizer);
}

// Writes the settings into the folder, or throws if the folder has other settings or more cells.
void claim(const Study& study, const std::filesystem::path& folder) {
  const std::string settings = study_toml(study);
  if (const std::optional<Study> existing = study_in(folder)) {
    std::vector<std::string> more;
    for (const SettingChange& change :
         differences(settings_of(grown(*existing, study, folder)), settings_of(study))) {
      more.push_back(change.text());
    }
    if (!more.empty()) {
      fail({Fault::usage, Code::run_mismatch}, "{} contains a larger study:\n  {}", folder.string(),
           fmt::join(more, "\n  "));
    }
  }
  if (!study.text.empty()) claim_text(study, folder);
  write_file(folder / kStudyFile, settings);
}

// The model first: a cell that exists is complete.
Cell trained(const Study& study, const std::filesystem::path& folder, const CellName& name,
             const CellProgress& progress) {
  Finished done = run_cell(study.conditions, study.task_named(name.task), name, progress);
  if (name.seed == 1) {
    write_safetensors(model_file(folder, name), named_tensors(done.model->parameters()));
  }
  return std::move(done.cell);
}

}  // namespace

Study read_study(const std::filesystem::path& file) {
  Study study;
  const Settings settings = Settings::read(file);
  std::vector<std::string> names;
  for (const Field& field : fields_of(study)) names.emplace_back(field.spec.name);
  settings.require_known(std::vector<std::string_view>(names.begin(), names.end()));
  refuse(file.string(), read_fields(study, settings.section("")));
  // Relative to the file, as in a training run; the study.toml of a folder has absolute paths.
  const std::filesystem::path beside = file.parent_path();
  if (!study.text.empty()) study.text = absolute_path(beside / study.text).string();
  if (is_there(beside / study.tokenizer)) study.tokenizer = absolute_path(beside / study.tokenizer).string();
  return study;
}

std::optional<Study> study_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kStudyFile;
  return is_there(file) ? std::optional(read_study(file)) : std::nullopt;
}

Settings settings_of(const Study& study) {
  Settings settings;
  for (const auto& [name, value] : field_values(study)) settings.set(name, value);
  settings.set("lengths", fmt::format("{}", fmt::join(study.conditions.test_lengths(), ", ")));
  return settings;
}

std::string study_toml(const Study& study) { return settings_of(study).toml(); }

std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher) {
  check(study);
  const bool resumed = take_folder(folder, kCells);
  make_folder(folder / kModels);
  const FolderLock lock(folder / "lock");
  if (resumed)
    clear_debris(folder, {kStudyFile, kTextFile, "results.json", "results.csv", "report.html", "length.svg",
                          "step_times.csv"});
  for (const char* part : {kCells, kModels}) clear_debris(folder / part);
  claim(study, folder);
  std::vector<Cell> cells;
  for (const CellName& name : study.cells()) {
    const auto progress = [&](double fraction) {
      if (watcher.progress) watcher.progress(name, fraction);
    };
    std::optional<Cell> cell = find_cell(study, folder, name);
    const bool known = cell && has_all_lengths(study, *cell);
    if (!known) {
      if (cell) {
        progress(0);
        cell->rows =
            tested(read_model(study, folder, name), study.conditions, study.task_named(name.task), name);
      } else {
        cell = trained(study, folder, name, progress);
      }
      write_file(cell_file(folder, name), cell_json(*cell));
    }
    cells.push_back(std::move(*cell));
    if (watcher.finished) watcher.finished(cells.back(), !known);
  }
  return cells;
}

std::optional<Cell> find_cell(const Study& study, const std::filesystem::path& folder, const CellName& name) {
  const std::filesystem::path file = cell_file(folder, name);
  const bool has_model = name.seed == 1 && is_there(model_file(folder, name));
  if (!is_there(file) || (name.seed == 1 && !has_model)) return std::nullopt;
  Cell cell = read_cell(file);
  check_cell(study, name, cell, file);
  if (!has_model && !has_all_lengths(study, cell)) return std::nullopt;
  return cell;
}

bool has_all_lengths(const Study& study, const Cell& cell) {
  return std::ranges::equal(cell.rows.front().scores, study.conditions.test_lengths(), {}, &Score::length);
}

Model read_model(const Study& study, const std::filesystem::path& folder, const CellName& name) {
  const std::filesystem::path file = model_file(folder, name);
  Model model(blueprint(study.conditions, study.task_named(name.task), name.scheme), {.seed = std::nullopt});
  try {
    read_parameters(SafetensorsFile(file), model.parameters());
  } catch (const Error& error) {
    throw error.with_hint(fmt::format("remove {} to run its cell again", file.string()));
  }
  return model;
}

std::filesystem::path model_file(const std::filesystem::path& folder, const CellName& name) {
  return folder / kModels / fmt::format("{}.{}.safetensors", name.task, name.scheme);
}

}  // namespace locus::study
