// A model folder as the Hugging Face hub has them: config.json and safetensors, opened as they are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "locus/base/json.h"
#include "locus/checkpoint/family.h"
#include "locus/checkpoint/weight_files.h"
#include "locus/nn/model.h"

namespace locus {

// Called as bytes arrive, from any thread but never from two at once.
using LoadProgress = std::function<void(uint64_t done, uint64_t all)>;

struct Opening {
  DType weights = DType::f32;  // f32, or bf16 for a model that is only asked (Model::Options)
  // For a model that is only asked: a table of tokens that is no head's weight, the largest part of many
  // models, stays in its file, and a row of it is read when a text has it. Its parameter is blank but for
  // those.
  bool lazy_tokens = false;
  LoadProgress progress;
};

struct ModelFolder {
  std::filesystem::path path;
  Config config;
  Architecture architecture;
  Model model;
  std::vector<Binding> bindings;  // under the names the folder's own files use
  std::vector<std::string> warnings;
  json::Members changes;  // what config.json says otherwise, now that the model has a new head
};

// config.json; an error that says what the folder is instead when there is none.
Config read_config(const std::filesystem::path& folder);

// Reads config.json and the weights, these straight into the model's memory, as f32 or bf16 whatever they are
// stored as. Tensors that are missing, too many or of another shape are all listed in one error; leftovers
// that mean nothing (position_ids, rotary frequencies, masks) are passed over.
ModelFolder open_model(const std::filesystem::path& path, const Opening& opening = {});

// Another head in place of the folder's own. What tells labels is drawn; other parts of it are where the
// folder has none of the right shape. What the folder's own head had besides is passed over.
struct NewHead {
  HeadKind kind = HeadKind::sequence_class;
  std::vector<std::string> labels;  // their names, of a classifier
  uint64_t seed = 1;
};
ModelFolder open_model(const std::filesystem::path& path, const NewHead& head);
// The names that config.json has for labels (id2label), in their order.
std::vector<std::string> named_labels(const Config& config);
// Names up to `count`, as transformers calls labels that have none: LABEL_2.
void name_the_rest(std::vector<std::string>& labels, int64_t count);

// Writes a new folder that transformers opens, whole or not at all: the weights as f32 under the names they
// came with, config.json, the tokenizer and other small files as they are.
void save_model(const ModelFolder& folder, const std::filesystem::path& to);
// The same for a model that was made here, as the family whose config.json can say its blueprint.
void save_model(const Model& model, const std::filesystem::path& to);
// What the first puts into a folder, for a model that is changed on the way: `tensors` as the bindings have
// them, and members of config.json, where an empty value removes one.
std::vector<NamedTensor> tensors_of(const std::vector<Binding>& bindings);
void write_model(const ModelFolder& folder, std::vector<NamedTensor> tensors, const std::filesystem::path& to,
                 json::Members changes);
// The text of a config.json with some members changed.
std::string changed_config(const std::filesystem::path& file, const json::Members& changes);

// Finds every binding's tensor and sets its name to the one the files have; all problems in one error. Those
// of a new head need not be there, and are marked as drawn. Where the model has no head, or a new one, that
// of the files is passed over.
enum class HeadOf { files, nobody, caller };
void match_tensors(const Family& family, const WeightFiles& files, const std::filesystem::path& folder,
                   HeadOf head, std::vector<Binding>& bindings);
// Whether the head has tensors of its own, and the files none of them.
bool lacks_head(const Family& family, const WeightFiles& files, const std::vector<Binding>& bindings);
// Fills the bindings' parameters; returns warnings.
std::vector<std::string> read_tensors(const WeightFiles& files, const std::vector<Binding>& bindings,
                                      const LoadProgress& progress);

}  // namespace locus
