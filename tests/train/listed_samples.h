// Samples given one by one.
#pragma once

#include <utility>

#include "locus/train/samples.h"

namespace locus::testing {

class ListedSamples : public Samples {
 public:
  explicit ListedSamples(std::vector<Sample> samples) : samples_(std::move(samples)) {}
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  std::string name() const override { return "the list"; }
  int64_t length(int64_t index) const override {
    const Sample& sample = samples_[static_cast<size_t>(index)];
    return static_cast<int64_t>(sample.ids.size() + sample.text.size());
  }
  Sample at(int64_t index, int64_t) const override { return samples_[static_cast<size_t>(index)]; }

 private:
  std::vector<Sample> samples_;
};

}  // namespace locus::testing
