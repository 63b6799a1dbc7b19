#include "locus/train/text_windows.h"

#include <algorithm>

#include "locus/base/checked.h"
#include "locus/base/error.h"
#include "locus/run/task_frame.h"
#include "locus/train/task_samples.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

constexpr int64_t kMaskBlock = 512;  // tokens that are masked together, in windows of any length

bool masks(const TextTask& task) { return task.blueprint.head.kind == HeadKind::masked_token; }

// The last token is only a target if the next token is predicted.
int64_t inputs_of(const TextTask& task, int64_t tokens) { return masks(task) ? tokens : tokens - 1; }

}  // namespace

TextWindows::TextWindows(const TextTask& task, std::shared_ptr<const TokenStream> text, int64_t length,
                         int64_t stride)
    : text_(std::move(text)),
      frame_(window_frame_of(task)),
      seed_(task.seed),
      inputs_(inputs_of(task, text_->size())),
      room_(length - frame_.size()),
      stride_(stride == 0 ? room_ : stride) {
  require(room_ > 0, "a window of {} tokens has no room for text, expected more than {}, its special tokens",
          length, frame_.size());
  require(stride_ > 0 && stride_ <= room_,
          "the stride is {}, expected 1 to {}, the number of text tokens in a window of {} tokens", stride,
          room_, length);
  require(inputs_ >= room_, "{} has {} tokens, expected at least {} for a window of {}", name(),
          text_->size(), text_->size() + room_ - inputs_, length);
  if (masks(task)) masking_ = masking_of(task);
  size_ = 1 + divide_up(inputs_ - room_, stride_);
}

int64_t TextWindows::longest(const TextTask& task, int64_t tokens) {
  return std::max<int64_t>(inputs_of(task, tokens), 0) + window_frame_of(task).size();
}

TextWindows::Range TextWindows::range(int64_t index) const {
  const int64_t begin = index * stride_;
  return {.begin = begin,
          .end = std::min(begin + room_, inputs_),
          .fresh = index == 0 ? 0 : begin + room_ - stride_};
}

int64_t TextWindows::length(int64_t index) const {
  const Range window = range(index);
  return window.end - window.begin + frame_.size();
}

Sample TextWindows::next_tokens(const Range& range) const {
  std::vector<int32_t> tokens(static_cast<size_t>(range.end - range.begin + 1));
  text_->read(range.begin, tokens);
  return {.ids = {tokens.begin(), tokens.end() - 1}, .targets = {tokens.begin() + 1, tokens.end()}};
}

// A token is masked or not by its place in the text, so windows of all lengths have the same masks.
Sample TextWindows::masked_tokens(const Range& range) const {
  Sample sample;
  const int64_t first = range.begin / kMaskBlock * kMaskBlock;
  for (int64_t begin = first; begin < range.end; begin += kMaskBlock) {
    const int64_t end = std::min(begin + kMaskBlock, inputs_);
    std::vector<int32_t> ids(static_cast<size_t>(end - begin)), targets(ids.size());
    text_->read(begin, ids);
    mask_tokens(ids, targets, *masking_, seed_, 0, begin);
    const int64_t from = std::max(range.begin, begin) - begin, to = std::min(range.end, end) - begin;
    sample.ids.insert(sample.ids.end(), ids.begin() + from, ids.begin() + to);
    sample.targets.insert(sample.targets.end(), targets.begin() + from, targets.begin() + to);
  }
  return sample;
}

Sample TextWindows::at(int64_t index, int64_t) const {
  const Range window = range(index);
  Sample sample = masking_ ? masked_tokens(window) : next_tokens(window);
  std::fill_n(sample.targets.begin(), window.fresh - window.begin, kernel::kIgnoredTarget);
  add_frame(sample, frame_);
  return sample;
}

}  // namespace locus
