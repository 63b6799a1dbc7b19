// Fine-tuning: runs that start from a Hugging Face model folder. The run trains the folder's
// own head further, or puts a new head on its pretrained weights.
#pragma once

#include <filesystem>
#include <optional>

#include "locus/checkpoint/model_folder.h"
#include "locus/train/saved_run.h"

namespace locus {

// The settings in [model] for a model from a folder. The folder defines everything else.
struct HubStart {
  std::string from;
  HeadKind head = HeadKind::none;

  template <class V>
  void fields(V& v) {
    v.text("from", from, "Hugging Face model folder to start from");
    v.choice(
        "head", head, kHeadWords,
        "what the model predicts; the folder's own head is kept if it is of this kind and has all labels");
  }
};

// Opens the folder for a task that already has its data settings and tokenizer, and sets the task's blueprint
// and labels. If `head` is absent, the folder's own head is trained further. Otherwise a new head is randomly
// initialized, unless the folder's own head is of that kind and has every label of the training file.
ModelFolder open_start(const std::filesystem::path& from, std::optional<HeadKind> head, TextTask& task);

}  // namespace locus
