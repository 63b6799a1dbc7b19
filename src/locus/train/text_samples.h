// Samples from text: from token streams and from task files, with targets for the model's head.
#pragma once

#include <memory>
#include <optional>

#include "locus/run/text_task.h"
#include "locus/text/masking.h"
#include "locus/text/task_file.h"
#include "locus/text/text_frame.h"
#include "locus/text/tokenizer.h"
#include "locus/text/windows.h"
#include "locus/train/samples.h"

namespace locus {

// Tokens [begin, end) of a stream. Shares ownership of the stream.
class StreamSlice final : public TokenStream {
 public:
  StreamSlice(std::shared_ptr<const TokenStream> whole, int64_t begin, int64_t end);
  int64_t size() const override { return end_ - begin_; }
  int32_t vocabulary() const override { return whole_->vocabulary(); }
  std::string name() const override;
  void read(int64_t begin, std::span<int32_t> ids) const override { whole_->read(begin_ + begin, ids); }

 private:
  std::shared_ptr<const TokenStream> whole_;
  int64_t begin_, end_;
};

// Puts the special tokens around a window. They have no targets.
void add_frame(Sample& sample, const WindowFrame& frame);

// Windows of `context` tokens, special tokens included, and `stride` tokens of the text apart. The target of
// each token is the next token. With masking, some tokens are masked, different ones in every epoch, and the
// original tokens are the targets.
class WindowSamples final : public Samples {
 public:
  struct Options {
    int64_t context = 0, stride = 0;
    WindowFrame frame = {};
    std::optional<Masking> masking = {};
    uint64_t seed = 0;
  };
  WindowSamples(std::shared_ptr<const TokenStream> stream, Options options);
  int64_t size() const override { return windows_.size(); }
  std::string name() const override { return windows_.stream().name(); }
  int64_t length(int64_t) const override { return options_.context; }
  Sample at(int64_t index, int64_t epoch) const override;

 private:
  Options options_;
  Windows windows_;
};

// Samples in memory, one for each example of a file.
class ListedSamples final : public Samples {
 public:
  ListedSamples(std::vector<Sample> samples, std::string name)
      : samples_(std::move(samples)), name_(std::move(name)) {}
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  std::string name() const override { return name_; }
  int64_t length(int64_t index) const override;
  Sample at(int64_t index, int64_t) const override { return samples_[static_cast<size_t>(index)]; }

 private:
  std::vector<Sample> samples_;
  std::string name_;
};

// The text or pair in its frame (text/text_frame.h); the target is the label.
Sample labeled_sample(const LabeledText& example, const TextTask& task);
// The words in their frame, joined by spaces. A word's label is the target of its first token; other tokens
// have no target.
Sample tagged_sample(const TaggedText& example, const TextTask& task);
// The encoder's input is the source in its frame. The targets are the target text in its frame, and the
// decoder's input is the same shifted right, after data.start_token.
Sample pair_sample(const TextPair& example, const TextTask& task);
// For an encoder-decoder that classifies: the encoder reads the ids of the sample, and the decoder reads them
// shifted right, after data.start_token.
void add_encoder_input(Sample& sample, const TextTask& task);

}  // namespace locus
