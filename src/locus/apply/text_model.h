// A model with its tokenizer, opened from a Hugging Face model folder or from the folder of a training run.
// It encodes texts exactly as in training, and checks their length.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/checkpoint/model_folder.h"
#include "locus/text/tokenizer.h"
#include "locus/train/saved_run.h"
#include "locus/train/text_frame.h"

namespace locus {

class TextModel {
 public:
  // `weights`: f32, or bf16 for half the memory, higher speed and 2-3 digits of accuracy.
  explicit TextModel(const std::filesystem::path& folder, DType weights = DType::f32);

  const std::filesystem::path& folder() const { return folder_; }
  const Model& model() const { return hub_ ? hub_->model : run_->model; }
  const Blueprint& blueprint() const { return model().blueprint(); }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const std::vector<std::string>& labels() const { return labels_; }  // of a classification head
  const std::vector<std::string>& warnings() const { return warnings_; }
  const ModelFolder* hub() const { return hub_ ? &*hub_ : nullptr; }  // nullptr for a run
  const SavedRun* run() const { return run_ ? &*run_ : nullptr; }     // nullptr for a Hugging Face folder

  // Throws Code::wrong_head if the model has another head. `purpose` completes "cannot .." in the error.
  void require_head(HeadKind head, std::string_view purpose) const;

  // The output of the head for texts. For an encoder-decoder, the encoder reads the tokens, and the decoder
  // reads them shifted right, after its start token.
  Var operator()(const Tokens& texts) const;

  int64_t longest() const { return longest_; }  // most tokens of a text, including special tokens
  void limit_length(int64_t longest) { longest_ = std::min(longest_, longest); }

  // The tokens of a text, with special tokens, and with byte offsets unless `unit` is none. Throws if there
  // is no token. More than longest() tokens are cut with `truncate`, and throw Code::context_too_long without
  // it.
  Encoding read(const TextInput& input, bool truncate, Specials specials = Specials::are_text,
                OffsetUnit unit = OffsetUnit::bytes) const;
  void check_length(const Encoding& encoding) const;  // throws these errors
  // The same without a check of the length, truncated to `longest` tokens.
  Encoding encode(const TextInput& input, Specials specials = Specials::are_text,
                  size_t longest = std::numeric_limits<size_t>::max(),
                  OffsetUnit unit = OffsetUnit::bytes) const;

 private:
  void open_hub(DType weights);
  void open_run(DType weights);

  std::filesystem::path folder_;
  std::optional<ModelFolder> hub_;
  std::optional<SavedRun> run_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  TextFrame frame_;
  std::vector<std::string> labels_, warnings_;
  int64_t longest_ = 0;
  bool segments_ = true;     // the two texts of a pair have different segments
  bool cuts_begin_ = false;  // truncation would remove the beginning of a text
};

}  // namespace locus
