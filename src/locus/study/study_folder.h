// The folder of a study while a process fills it. study.h lists its files.
#pragma once

#include "locus/base/folder.h"
#include "locus/study/study.h"

namespace locus::study {

inline constexpr const char* kStudyFile = "study.toml";

class StudyFolder {
 public:
  // Locks the folder and writes the settings into it. Throws if the folder belongs to a study with other
  // settings or with more cells, or if another process runs in it.
  StudyFolder(const Study& study, std::filesystem::path folder);

  std::optional<Cell> find(const CellName& name) const { return find_cell(study_, folder_, name); }
  Model model(const CellName& name) const { return read_model(study_, folder_, name); }
  // Writes a cell, and its trained model if it was trained. Models other than those of the first seed are not
  // kept.
  void keep(const Finished& finished) const;

 private:
  const Study& study_;
  std::filesystem::path folder_;
  bool resumed_;
  FolderLock lock_;
};

}  // namespace locus::study
