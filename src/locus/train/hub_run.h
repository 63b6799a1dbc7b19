// Runs that start from another model: a Hugging Face model folder, a run, or a checkpoint of a run. The run
// trains the model further, with its own head or a new one, and with its scheme or another one.
#pragma once

#include <filesystem>
#include <optional>

#include "locus/base/settings.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/run/text_task.h"

namespace locus {

// The settings in [model] for a model that starts from another one, which defines everything else.
// [model.scheme] and [model.global_scheme] replace a scheme.
struct HubStart {
  std::string from;
  HeadKind head = HeadKind::none;
  float dropout = 0, attention_dropout = 0;

  template <class V>
  void fields(V& v) {
    v.text("from", from, "Hugging Face model folder, run, or checkpoint of a run to start from");
    v.choice(
        "head", head, kHeadWords,
        "what the model predicts; the model's own head is kept if it is of this kind and has all labels");
    v.number("dropout", dropout, 0, 0.99, "dropout rate instead of the model's own");
    v.number("attention_dropout", attention_dropout, 0, 0.99,
             "dropout rate of attention weights instead of the model's own");
  }
};

struct StartedModel {
  std::optional<ModelFolder> folder;  // a folder whose model is used as it is
  std::optional<Model> model;         // otherwise
  std::vector<std::string> notes;     // for the user
};

// Takes data settings that are not given from the model: tokenizer, context, start token, framing.
void apply_start_defaults(const Settings& settings, const std::filesystem::path& from, DataSettings& data);

// Opens the model in `hub.from` for a task that already has its data settings and tokenizer, and sets the
// task's blueprint and labels. Without a setting model.head the model's own head is trained further.
// Otherwise a new head is randomly initialized, unless its own head is of that kind and has every label of
// the training file. A scheme in the settings is randomly initialized, and parameters of the old one are
// dropped.
StartedModel open_start(const Settings& settings, const HubStart& hub, TextTask& task);

}  // namespace locus
