// A model with its tokenizer, opened from a Hugging Face model folder or from the folder of a training run.
// It encodes texts exactly as in training, and checks their length.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "locus/run/task_frame.h"
#include "locus/run/trained_model.h"
#include "locus/text/tokenizer.h"

namespace locus {

class TextModel {
 public:
  // `weights`: f32, or bf16 for half the memory, higher speed and 2-3 digits of accuracy.
  explicit TextModel(const std::filesystem::path& folder, DType weights = DType::f32,
                     Device device = Device::cpu);

  const TrainedModel& trained() const { return *trained_; }
  const std::filesystem::path& folder() const { return trained_->folder(); }
  const Model& model() const { return trained_->model(); }
  const Blueprint& blueprint() const { return model().blueprint(); }
  const TextTask& task() const { return trained_->task(); }
  const Tokenizer& tokenizer() const { return *task().tokenizer; }
  const std::vector<std::string>& labels() const { return task().labels; }  // of a classification head
  const std::vector<std::string>& warnings() const { return trained_->warnings(); }
  const ModelFolder* hub() const { return trained_->hub(); }  // nullptr for a run

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
  // The same for a text that is tokens already. None are added.
  Encoding read_tokens(std::vector<int32_t> ids) const;
  void check_length(const Encoding& encoding) const;  // throws these errors
  // The same without a check of the length, truncated to `longest` tokens.
  Encoding encode(const TextInput& input, Specials specials = Specials::are_text,
                  size_t longest = std::numeric_limits<size_t>::max(),
                  OffsetUnit unit = OffsetUnit::bytes) const;

 private:
  std::shared_ptr<TrainedModel> trained_;  // copies of a TextModel share it
  TextFrame frame_;
  int64_t longest_ = 0;
  bool cuts_begin_ = false;  // truncation would remove the beginning of a text
};

}  // namespace locus
