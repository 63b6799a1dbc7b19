// Counts the steps of a template, and limits them. Work on long texts and lists counts as several steps.
#pragma once

#include <algorithm>
#include <cstddef>

#include "locus/base/error.h"

namespace locus::chat {

class Steps {
 public:
  static constexpr size_t kMost = 1'000'000, kMostBytes = size_t{1} << 20;

  void take(size_t count = 1) {
    left_ -= std::min(left_, count);
    if (left_ == 0) fail(Fault::data, "the template takes too long: got more than {} steps", size_t{kMost});
  }
  void items(size_t count) { take(1 + count / 16); }
  // A text of this size is made, or read completely.
  void bytes(size_t size) {
    require(size <= kMostBytes, "the template makes a text of {} bytes, expected at most {}", size,
            size_t{kMostBytes});
    take(1 + size / 256);
  }

 private:
  size_t left_ = kMost;
};

}  // namespace locus::chat
