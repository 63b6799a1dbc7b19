// Runs that start from a model folder of the hub, and end as one: the same model trained on, or what it
// knows under a new head.
#pragma once

#include <filesystem>
#include <optional>

#include "locus/checkpoint/model_folder.h"
#include "locus/train/saved_run.h"

namespace locus {

// What [model] may say of a model that comes from a folder: all else the folder says.
struct HubStart {
  std::string from;
  HeadKind head = HeadKind::none;

  template <class V>
  void fields(V& v) {
    v.text("from", from, "a model folder of the hub to start from");
    v.choice("head", head, kHeadWords,
             "what the model puts out; the folder's own head goes on where it is the same, labels included");
  }
};

// Opens the folder for a task whose data and tokenizer are known, and gives the task its blueprint and
// labels. Without a head that is asked for, the folder's own goes on; one that is asked for is drawn anew
// unless the folder's own is the same and knows every label of the training file.
ModelFolder open_start(const std::filesystem::path& from, std::optional<HeadKind> asked, TextTask& task);

// Writes the model of a run as a folder that transformers opens: `hub` in the run's own. It appears whole.
std::filesystem::path save_hub_folder(const ModelFolder& start, const SavedRun& saved,
                                      const std::filesystem::path& run);

}  // namespace locus
