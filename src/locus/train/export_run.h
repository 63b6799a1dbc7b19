// Exports the model of a run as a Hugging Face model folder, which Locus and transformers open: weights,
// config.json, tokenizer, label names, and the start and end tokens of a model that writes text.
//   a run that started from such a folder     exports the same architecture, with the folder's other files
//   any other run                             exports a family that can represent its blueprint
#pragma once

#include <filesystem>

#include "locus/run/saved_run.h"

namespace locus {

// Atomically writes a new folder. Throws Code::unsupported_field with the fields that the nearest family does
// not support if no family can represent the model.
void export_run(const SavedRun& saved, const std::filesystem::path& to);

// The same in a temporary folder next to `place`, for what reads model folders only.
class TemporaryExport {
 public:
  TemporaryExport(const SavedRun& saved, const std::filesystem::path& place);
  ~TemporaryExport();
  TemporaryExport(const TemporaryExport&) = delete;
  TemporaryExport& operator=(const TemporaryExport&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The same as `hub` inside the run folder, in place of an earlier one. Returns its path.
std::filesystem::path save_hub_folder(const SavedRun& saved, const std::filesystem::path& run);

}  // namespace locus
