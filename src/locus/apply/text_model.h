// A model together with the tokenizer it was trained with, opened from a folder: one of the hub, or a run of
// locus train. It reads a text as the model met texts in training, and knows how long one may be.
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
  // `weights`: f32, or bf16 for faster and somewhat rougher results in half the memory.
  explicit TextModel(const std::filesystem::path& folder, DType weights = DType::f32);

  const std::filesystem::path& folder() const { return folder_; }
  const Model& model() const { return hub_ ? hub_->model : run_->model; }
  const Blueprint& blueprint() const { return model().blueprint(); }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const std::vector<std::string>& labels() const { return labels_; }  // of a head that tells classes
  const std::vector<std::string>& warnings() const { return warnings_; }
  const ModelFolder* hub() const { return hub_ ? &*hub_ : nullptr; }  // nullptr: a run
  const SavedRun* run() const { return run_ ? &*run_ : nullptr; }     // nullptr: a folder of the hub

  // An error that says what the folder holds instead, when the head is another. `purpose` ends it.
  void require_head(HeadKind head, std::string_view purpose) const;

  // The head's output for texts. An encoder-decoder reads each twice: its encoder as it is, its decoder one
  // later, behind its start token.
  Var operator()(const Tokens& texts) const;

  int64_t longest() const { return longest_; }  // tokens of a text, those around it too
  void shorten(int64_t longest) { longest_ = std::min(longest_, longest); }

  // The tokens of a text with those around it, offsets in bytes unless none are wanted. No token at all, or
  // more than longest(), is an error; `truncate` cuts in place of the second.
  Encoding read(const TextInput& input, bool truncate, Specials specials = Specials::are_text,
                OffsetUnit unit = OffsetUnit::bytes) const;
  void check_length(const Encoding& encoding) const;  // these errors
  // The tokens however many, or cut to `longest`.
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
  bool segments_ = true;     // of a pair both texts have their own
  bool cuts_begin_ = false;  // what is too long would lose its beginning
};

}  // namespace locus
