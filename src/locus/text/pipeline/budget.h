// What a tokenizer may spend on one text. The file of a tokenizer may come from anybody, so the work for a
// text must be bounded by the size of that text, whatever the file says. All steps of a pipeline share one
// budget: the bytes that they write, and the backtracking steps of their regular expressions.
#pragma once

#include <cstddef>
#include <string_view>

namespace locus {

class TextBudget {
 public:
  explicit TextBudget(size_t text_bytes) : text_bytes_(text_bytes) {}

  // Throws if a rewritten text of `size` bytes, in addition to the parts that are finished, is larger than
  // any reasonable file makes it. `where` and `what` begin the error.
  void check(size_t size, std::string_view where, std::string_view what = "normalizer") const {
    if (finished_ + size > most_bytes()) [[unlikely]]
      refuse(size, where, what);
  }
  // A part of the text is finished with this size.
  void finish(size_t bytes) { finished_ += bytes; }

  // Takes up to `wanted` steps of regular expressions and returns their number; 0 if all are used up.
  size_t take_steps(size_t wanted);
  size_t steps_taken() const { return steps_; }

 private:
  static constexpr size_t kGrowth = 64, kAlwaysBytes = size_t{1} << 20;
  static constexpr size_t kStepsPerByte = 256, kAlwaysSteps = size_t{1} << 25;

  size_t most_bytes() const { return kGrowth * text_bytes_ + kAlwaysBytes; }
  [[noreturn]] void refuse(size_t size, std::string_view where, std::string_view what) const;

  size_t text_bytes_;
  size_t finished_ = 0;  // bytes
  size_t steps_ = 0;
};

}  // namespace locus
