// Samples from text: token streams and the files of tasks, made ready for a model's head.
#pragma once

#include <memory>
#include <optional>

#include "locus/text/masking.h"
#include "locus/text/task_file.h"
#include "locus/text/tokenizer.h"
#include "locus/text/windows.h"
#include "locus/train/samples.h"
#include "locus/train/text_task.h"

namespace locus {

// Tokens [begin, end) of a stream, which it keeps.
class StreamPart final : public TokenStream {
 public:
  StreamPart(std::shared_ptr<const TokenStream> whole, int64_t begin, int64_t end);
  int64_t size() const override { return end_ - begin_; }
  int32_t vocabulary() const override { return whole_->vocabulary(); }
  std::string name() const override;
  void read(int64_t begin, std::span<int32_t> ids) const override { whole_->read(begin_ + begin, ids); }

 private:
  std::shared_ptr<const TokenStream> whole_;
  int64_t begin_, end_;
};

// Windows of `context` tokens, `stride` apart: each token's target is the next one; or, masked, some tokens
// are hidden, others in every epoch, and those are the targets.
class WindowSamples final : public Samples {
 public:
  WindowSamples(std::shared_ptr<const TokenStream> stream, int64_t context, int64_t stride,
                std::optional<Masking> masking = {}, uint64_t seed = 0);
  int64_t size() const override { return windows_.size(); }
  std::string name() const override { return windows_.stream().name(); }
  int64_t length(int64_t) const override { return windows_.options().context; }
  Sample at(int64_t index, int64_t epoch) const override;

 private:
  Windows windows_;
  std::optional<Masking> masking_;
  uint64_t seed_;
};

// Samples made beforehand, one for each example of a file.
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

// The token that hides others: <mask>, or as BERT spells it [MASK].
int32_t mask_token(const Tokenizer& tokenizer);

// The text, or both, in their frame, and the label.
Sample labelled_sample(const LabelledText& example, const TextTask& task);
// The same with words, with the blanks between them; a word's label is the target of its first token, and the
// others have none.
Sample tagged_sample(const TaggedText& example, const TextTask& task);
// The encoder reads the source in its frame; the decoder should say the target in its own, and reads the same
// one later, behind data.start_token.
Sample pair_sample(const TextPair& example, const TextTask& task);
// Of an encoder-decoder that tells something about a text: the encoder reads it, too, and the decoder one
// later, behind data.start_token.
void read_twice(Sample& sample, const TextTask& task);

}  // namespace locus
