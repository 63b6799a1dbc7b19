// A trained model from any place: the folder of a training run, one of its checkpoints, or a Hugging Face
// model folder. This is the one way to open a folder that may be any of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "locus/checkpoint/forward.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/run/run_folder.h"
#include "locus/run/text_task.h"

namespace locus {

class TrainedModel {
 public:
  struct Options {
    DType weights = DType::f32;  // Model::Options
    bool lazy_tokens = false;    // Opening::lazy_tokens; runs ignore it
    Device device = Device::cpu;
    bool for_text = true;  // open the tokenizer too, and check the label names
  };
  explicit TrainedModel(const std::filesystem::path& folder) : TrainedModel(folder, Options()) {}
  TrainedModel(const std::filesystem::path& folder, const Options& options);

  const std::filesystem::path& folder() const { return folder_; }  // as given
  // The folder with the weights: a checkpoint of the run, or the folder itself.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }
  const RunState* state() const { return state_ ? &*state_ : nullptr; }  // of the checkpoint of a run
  Model& model() { return hub_ ? hub_->model : *model_; }
  const Model& model() const { return hub_ ? hub_->model : *model_; }
  const Blueprint& blueprint() const { return model().blueprint(); }
  // How files become samples for the model: task_of() below, or the task that the run was trained on.
  const TextTask& task() const { return task_; }
  ModelFolder* hub() { return hub_ ? &*hub_ : nullptr; }
  const ModelFolder* hub() const { return hub_ ? &*hub_ : nullptr; }  // nullptr for a run
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void open_hub(const Options& options);
  void open_run(const Options& options);
  void check_text();

  std::filesystem::path folder_, checkpoint_;
  std::optional<RunState> state_;
  TextTask task_;
  std::optional<ModelFolder> hub_;
  std::optional<Model> model_;  // of a run
  std::vector<std::string> warnings_;
};

// For forward(), which computes what transformers computes. The gradients of a run have the names of Locus.
// The model must outlive the result.
ForwardModel forward_model(TrainedModel& trained);

// Whether a tokenizer with this tokenizer_config.json produces segments (token_type_ids).
bool has_segments(const Config& tokenizer_config);
// How a Hugging Face model folder reads texts: special tokens, segments, padding and mask.
void read_framing(const std::filesystem::path& folder, const Config& config, const Blueprint& blueprint,
                  DataSettings& data);
// The task of a Hugging Face model folder, without its tokenizer: the labels and the start token in
// config.json, and as context the longest input that model and tokenizer allow.
TextTask task_of(const ModelFolder& folder);

}  // namespace locus
