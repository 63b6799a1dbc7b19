// A study: every scheme of a list, on every task of a list, from every seed, in a folder that a killed run
// goes on in.
//
//   study.toml                what it holds equal and what it compares
//   cells/TASK.SCHEME.SEED.json   one finished cell each
//   models/TASK.SCHEME.safetensors   the first seed's trained parameters, to look at
//   text.txt                  what tells the user's text from others, where one was given
//   lock                      held by the process at work
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "locus/study/cell.h"

namespace locus::study {

struct Study {
  Conditions conditions;
  std::string tasks = "language, back-encoder, back";
  std::string schemes = "all";
  int64_t seeds = 2;
  std::string text;  // a file; its task is added to the list

  template <class F>
  void fields(F& f) {
    f.text("tasks", tasks, "what is asked, by commas; all: every task");
    f.text("schemes", schemes, "what is compared, by commas; all: every scheme");
    f.text("text", text, "a file whose next byte is asked for, as task text");
    f.integer("seeds", seeds, 1, 1000, "models trained for every task and scheme");
    conditions.fields(f);
  }

  std::vector<const Task*> task_list() const;  // of a text: read once, when the list is first asked for
  const Task& task_named(std::string_view name) const;
  std::vector<const SchemeInfo*> scheme_list() const;
  std::vector<CellName> cells() const;  // in the order they are run

 private:
  mutable std::shared_ptr<const Task> text_task_;
};

// Everything wrong with a study, before anything is trained.
void check(const Study& study);

// From a TOML file; unknown keys and values out of range are refused, all at once.
Study read_study(const std::filesystem::path& file);
std::string study_toml(const Study& study);  // reads back to the same
// The study a folder holds, if it holds one.
std::optional<Study> study_in(const std::filesystem::path& folder);

struct Watcher {
  std::function<void(const CellName&, double part)> at_work;  // throws to stop
  std::function<void(const Cell&, bool now)> finished;        // now, or found in the folder
};

// Runs what is missing. A folder that holds another study is refused with the differences, one that another
// process is at work in with its number.
std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher);

// The first seed's trained parameters.
std::filesystem::path model_file(const std::filesystem::path& folder, const CellName& name);

std::string cell_json(const Cell& cell);
Cell read_cell(const std::filesystem::path& file);
// Refuses a cell that cannot be the one that the study has under this name.
void check_cell(const Study& study, const CellName& name, const Cell& cell,
                const std::filesystem::path& file);

}  // namespace locus::study
