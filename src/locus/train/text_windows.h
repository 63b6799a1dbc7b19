// Windows over a text, to evaluate a model at a length. Every token that can be a target is the target of
// exactly one window: for the next token that is every token but the first, for masked tokens every masked
// one. So evaluations at different lengths have the same targets, and their numbers can be compared.
//
// Without overlap (Press et al. 2022, arXiv 2108.12409) a window begins where the one before it ends; its
// first tokens have little context. With a stride below the length, windows overlap, and a window has only
// those targets that the one before it does not have: more context per target, for more time. The last window
// may be shorter.
#pragma once

#include <memory>
#include <optional>

#include "locus/run/text_task.h"
#include "locus/text/masking.h"
#include "locus/text/text_frame.h"
#include "locus/text/token_stream.h"
#include "locus/train/samples.h"

namespace locus {

class TextWindows final : public Samples {
 public:
  // Windows of `length` tokens, special tokens included, and `stride` text tokens apart; 0: no overlap.
  // Throws if the text is shorter than one window.
  TextWindows(const TextTask& task, std::shared_ptr<const TokenStream> text, int64_t length,
              int64_t stride = 0);

  // The longest window over a text with this number of tokens.
  static int64_t longest(const TextTask& task, int64_t tokens);

  int64_t size() const override { return size_; }
  std::string name() const override { return text_->name(); }
  int64_t length(int64_t index) const override;
  Sample at(int64_t index, int64_t epoch) const override;

 private:
  // Inputs [begin, end) of the text; those before `fresh` have their targets in an earlier window.
  struct Range {
    int64_t begin, end, fresh;
  };
  Range range(int64_t index) const;
  Sample next_tokens(const Range& range) const;
  Sample masked_tokens(const Range& range) const;

  std::shared_ptr<const TokenStream> text_;
  WindowFrame frame_;
  std::optional<Masking> masking_;
  uint64_t seed_;
  int64_t inputs_, room_, stride_, size_ = 0;  // inputs: tokens of the text that are in a window
};

}  // namespace locus
