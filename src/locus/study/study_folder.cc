#include "locus/study/study_folder.h"

#include "locus/base/file.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/study/growth.h"

namespace locus::study {
namespace {

constexpr const char *kTextFile = "text.txt", *kCells = "cells", *kModels = "models";

std::filesystem::path cell_file(const std::filesystem::path& folder, const CellName& name) {
  return folder / kCells / (name.text() + ".json");
}

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

}  // namespace

StudyFolder::StudyFolder(const Study& study, std::filesystem::path folder)
    : study_(study),
      folder_(std::move(folder)),
      resumed_(take_folder(folder_, kCells)),
      lock_(folder_ / "lock") {
  make_folder(folder_ / kModels);
  if (resumed_)
    clear_debris(folder_, {kStudyFile, kTextFile, "results.json", "results.csv", "report.html", "length.svg",
                           "step_times.csv"});
  for (const char* part : {kCells, kModels}) clear_debris(folder_ / part);
  claim(study_, folder_);
}

// The model first: a cell that exists is complete.
void StudyFolder::keep(const Finished& finished) const {
  const CellName& name = finished.cell.name;
  if (finished.model && name.seed == 1) {
    write_safetensors(model_file(folder_, name), named_tensors(finished.model->parameters()));
  }
  write_file(cell_file(folder_, name), cell_json(finished.cell));
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
