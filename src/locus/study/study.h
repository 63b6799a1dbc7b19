// A study: every scheme of a list, on every task of a list, with every seed. Its folder lets an interrupted
// run resume, and the study grow (growth.h).
//
//   study.toml                       the settings
//   cells/TASK.SCHEME.SEED.json      one file per finished cell
//   models/TASK.SCHEME.safetensors   the trained parameters of the first seed, for the report
//   text.txt                         identifies the user's text and its tokens, if there is one
//   lock                             held by the process that runs the study
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "locus/base/json_document.h"
#include "locus/base/settings.h"
#include "locus/dist/crew.h"
#include "locus/study/cell.h"
#include "locus/study/scheme_choice.h"

namespace locus::study {

struct Study {
  Conditions conditions;
  std::string tasks = "language, back-encoder, back";
  std::string schemes = "all";
  int64_t seeds = 2;
  std::string text;  // a file; its task comes first
  std::string tokenizer = "bytes";

  template <class F>
  void fields(F& f) {
    f.text("tasks", tasks, "tasks to train on, comma-separated; all: every task");
    f.text("schemes", schemes,
           "position schemes to compare, comma-separated, with options as in "
           "rotary:base=500000; all: every scheme");
    f.text("text", text, "a text file; adds the task text, which predicts its next token");
    f.text("tokenizer", tokenizer,
           "of the text: bytes, a tokenizer's folder or .tiktoken file, or learn:N, BPE of N tokens");
    f.integer("seeds", seeds, 1, 1000, "models trained per task and scheme");
    conditions.fields(f);
  }

  std::vector<const Task*> task_list() const;  // reads the text file on the first call
  const Task& task_named(std::string_view name) const;
  std::vector<SchemeChoice> scheme_list() const;
  std::vector<CellName> cells() const;  // in the order of training

 private:
  using NamedTask = std::pair<std::pair<std::string, std::string>, Task>;  // by text and tokenizer
  mutable std::shared_ptr<const NamedTask> text_task_;
};

// Throws one error with all problems of a study.
void check(const Study& study);

// From a TOML file. Unknown keys and values out of range are reported together.
Study read_study(const std::filesystem::path& file);
Study study_of(const Settings& settings, const std::string& name);
Settings settings_of(
    const Study& study);  // with the list of test lengths, also where it follows from the length
std::string study_toml(const Study& study);  // read_study() reads the same study back
// The study in a folder, if there is one.
std::optional<Study> study_in(const std::filesystem::path& folder);

struct Watcher {
  std::function<void(const CellName&, double fraction)> progress;  // throws to stop
  std::function<void(const Cell&, bool trained)> finished;         // trained now, or found in the folder
  dist::StopAsked stop = {};                                       // run() then throws dist::Stop
};

// Runs the cells that are missing in the folder, and the tests that its cells lack. Throws if the folder
// belongs to a study with other settings or with more cells, or if another process runs in it.
std::vector<Cell> run(const Study& study, const std::filesystem::path& folder, const Watcher& watcher);

// The trained model of the first seed. It throws if the file is not the model of this cell.
Model read_model(const Study& study, const std::filesystem::path& folder, const CellName& name);
// Its file.
std::filesystem::path model_file(const std::filesystem::path& folder, const CellName& name);

// A cell of the folder that need not be trained: it has all test lengths, or its model was kept.
std::optional<Cell> find_cell(const Study& study, const std::filesystem::path& folder, const CellName& name);
bool has_all_lengths(const Study& study, const Cell& cell);

std::string position_json(const PositionLoss& bin);
std::string cell_json(const Cell& cell);
Cell read_cell(const std::filesystem::path& file);
Cell read_cell(const json::Document& document);
// Throws if a cell is not the one that the study has under this name. It may lack test lengths.
void check_cell(const Study& study, const CellName& name, const Cell& cell,
                const std::filesystem::path& file);

}  // namespace locus::study
