// Opens and writes Hugging Face model folders: config.json and safetensors, without conversion.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "locus/base/json.h"
#include "locus/checkpoint/family.h"
#include "locus/checkpoint/weight_files.h"
#include "locus/nn/model.h"
#include "locus/text/tokenizer_json.h"

namespace locus {

// Called as bytes are read, from any thread but never concurrently.
using LoadProgress = std::function<void(uint64_t done, uint64_t all)>;

struct Opening {
  DType weights = DType::f32;  // f32, or bf16 for inference only (Model::Options)
  // For inference only: the token embeddings, the largest part of many models, stay in their file, and a row
  // is read on first use. The other rows of the parameter are uninitialized. No effect if the head is tied to
  // them.
  bool lazy_tokens = false;
  Device device = Device::cpu;  // of the parameters; lazy_tokens has no effect if the host cannot read it
  LoadProgress progress;
};

struct ModelFolder {
  std::filesystem::path path;
  Config config;
  Architecture architecture;
  Model model;
  std::vector<Binding> bindings;  // with the tensor names of the folder's files
  std::vector<std::string> warnings;
  json::Members changes;  // members of config.json that differ because the model has a new head
};

// For a missing folder with the form of a model's name on the Hugging Face Hub, ORG/MODEL: a hint with the
// command that downloads it. Empty for other paths, and if ORG is a folder.
std::string download_hint(const std::filesystem::path& path);

// Reads config.json. If it is missing, the error reports what is wrong with the folder.
Config read_config(const std::filesystem::path& folder);

// Reads config.json and the weights, directly into the memory of the model, as f32 or bf16 whatever their
// stored type. Missing tensors, unknown tensors and wrong shapes are reported together in one error.
// Leftovers without meaning (position_ids, rotary frequencies, masks) are ignored.
ModelFolder open_model(const std::filesystem::path& path, const Opening& opening = {});

// A new head instead of the folder's own. Its output layer is randomly initialized, and so is every other
// part for which the folder has no tensor of the right shape. The remaining tensors of the old head are
// ignored.
struct NewHead {
  HeadKind kind = HeadKind::sequence_class;
  std::vector<std::string> labels;  // label names of a classifier
  uint64_t seed = 1;
};
ModelFolder open_model(const std::filesystem::path& path, const NewHead& head);
// The members of config.json that a new head changes. An empty value removes a member.
json::Members head_members(const Config& own, HeadKind kind, const std::vector<std::string>& labels);
// The members that name the labels of a classifier.
json::Members label_members(const std::vector<std::string>& labels);
// The label names in config.json (id2label), in order.
std::vector<std::string> named_labels(const Config& config);
// Extends `labels` to `count` names; like transformers, it calls unnamed labels LABEL_2.
void name_remaining_labels(std::vector<std::string>& labels, int64_t count);

// Atomically writes a new folder that transformers can open: the weights as f32 under their original names,
// config.json with rotary settings in both spellings, and unchanged copies of the tokenizer and other small
// files.
void save_model(const ModelFolder& folder, const std::filesystem::path& to);

// What a folder contains besides a model made by Locus.
struct FolderContents {
  const Tokenizer* tokenizer = nullptr;
  FrameTokens frame = {};                   // special tokens around its texts
  bool pair_segments = true;                // the two texts of a pair have different segments
  std::vector<std::string> labels = {};     // label names of a classifier
  std::optional<int32_t> start_token = {};  // starts the output of an encoder-decoder
  std::vector<int32_t> end_tokens = {};     // each ends a generated text
};
// Atomically writes a model made by Locus as a new folder of a family that can represent its blueprint (see
// export_config()).
void save_model(const Model& model, const std::filesystem::path& to, const FolderContents& contents = {});
// The same into an existing folder.
void write_model(const Model& model, const FolderContents& contents, const std::filesystem::path& folder);
// Only the tokenizer and its settings, tokenizer_config.json.
void write_tokenizer(const FolderContents& contents, const Blueprint& blueprint,
                     const std::filesystem::path& folder);
// The member of tokenizer_config.json that lists what the tokenizer produces, model_input_names.
json::Members model_inputs(bool segments);

// The steps of the first save_model(), for a model that is modified before writing: `tensors` are in the
// order of the bindings, `changes` are members of config.json, and an empty value removes a member. `from` is
// the folder with the other files.
std::vector<NamedTensor> tensors_of(const std::vector<Binding>& bindings);
void write_model(const std::filesystem::path& from, std::vector<NamedTensor> tensors,
                 const std::filesystem::path& to, json::Members changes);
// The text of a config.json, or of another JSON file, with changed members.
std::string changed_config(const std::filesystem::path& file, const json::Members& changes);
std::string changed_config(const std::string& text, const std::filesystem::path& file,
                           const json::Members& changes);

// Where the head of a model comes from: from the files, from nowhere (the model has no head), or it is new.
enum class HeadSource { files, none, new_head };
// Finds the tensor of every binding and sets its name to the one in the files; reports all problems in one
// error. Tensors of a new head may be missing; their bindings are marked random_init. If the model has no
// head or a new one, other tensors of the head in the files are ignored.
void match_tensors(const Family& family, const WeightFiles& files, const std::filesystem::path& folder,
                   HeadSource head, std::vector<Binding>& bindings);
// Whether the head has its own tensors, and the files contain none of them.
bool head_is_missing(const Family& family, const WeightFiles& files, const std::vector<Binding>& bindings);
// Reads the parameters of the bindings; returns warnings.
std::vector<std::string> read_tensors(const WeightFiles& files, const std::vector<Binding>& bindings,
                                      const LoadProgress& progress);

}  // namespace locus
