#include "locus/train/batches.h"

#include "locus/base/checked.h"
#include "locus/base/error.h"
#include "locus/base/permutation.h"

namespace locus {

Batches::Batches(const Samples& samples, const BatchOptions& options) : samples_(samples), options_(options) {
  require(samples.size() > 0, "{}: got 0 samples, expected at least 1", samples.name());
  require(options.batch_size > 0 || options.tokens > 0, "batch_size is {}, expected at least 1",
          options.batch_size);
  if (options.tokens == 0) return;
  for (int64_t i = 0; i < samples.size(); ++i) {
    require(samples.length(i) <= options.tokens,
            "{}: sample {} has {} tokens, expected at most tokens_per_step, {}", samples.name(), i + 1,
            samples.length(i), options.tokens);
  }
}

Batches::Pick Batches::pick(int64_t place) const {
  const int64_t epoch = place / samples_.size(), index = place % samples_.size();
  if (!options_.shuffle) return {index, epoch};
  return {Permutation(samples_.size(), options_.seed, static_cast<uint64_t>(epoch))(index), epoch};
}

int64_t Batches::begin_of(int64_t step) {
  if (options_.tokens == 0) return checked_multiply(step - 1, options_.batch_size, "samples seen");
  // With a token budget, a step begins where the previous one ended, so all earlier steps are computed first.
  // That needs only the lengths of the samples.
  while (static_cast<int64_t>(begins_.size()) < step) {
    int64_t place = begins_.back(), left = options_.tokens;
    for (;;) {
      const int64_t length = samples_.length(pick(place).index);
      if (length > left) break;
      left -= length;
      // Bounds the number of samples without tokens, which always fit.
      if (++place - begins_.back() >= options_.tokens) break;
    }
    begins_.push_back(place);
  }
  return begins_[static_cast<size_t>(step - 1)];
}

std::vector<Batches::Pick> Batches::picks(int64_t step, int64_t index, int64_t count) {
  const int64_t end = begin_of(step + 1), begin = begin_of(step), size = end - begin;
  std::vector<Pick> result;
  for (int64_t i = begin + size * index / count; i < begin + size * (index + 1) / count; ++i) {
    result.push_back(pick(i));
  }
  return result;
}

}  // namespace locus
