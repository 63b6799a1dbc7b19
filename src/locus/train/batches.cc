#include "locus/train/batches.h"

#include "locus/base/checked.h"
#include "locus/base/error.h"
#include "locus/base/permutation.h"

namespace locus {

Batches::Batches(const Samples& samples, const BatchOptions& options) : samples_(samples), options_(options) {
  require(samples.size() > 0, "{}: there are no samples", samples.name());
  require(options.batch > 0 || options.tokens > 0, "batch is {}, expected at least 1", options.batch);
  if (options.tokens == 0) return;
  for (int64_t i = 0; i < samples.size(); ++i) {
    require(samples.length(i) <= options.tokens, "{}: sample {} has {} tokens, a step takes {}",
            samples.name(), i + 1, samples.length(i), options.tokens);
  }
}

Batches::Pick Batches::pick(int64_t place) const {
  const int64_t epoch = place / samples_.size(), index = place % samples_.size();
  if (!options_.shuffle) return {index, epoch};
  return {Permutation(samples_.size(), options_.seed, static_cast<uint64_t>(epoch))(index), epoch};
}

int64_t Batches::begin_of(int64_t step) {
  if (options_.tokens == 0) return checked_multiply(step - 1, options_.batch, "samples seen");
  // By tokens a step begins where the one before ended: all before are cut first, by lengths alone.
  while (static_cast<int64_t>(begins_.size()) < step) {
    int64_t place = begins_.back(), left = options_.tokens;
    for (;;) {
      const int64_t length = samples_.length(pick(place).index);
      if (length > left) break;
      left -= length;
      // Samples without tokens would fit for ever.
      if (++place - begins_.back() >= options_.tokens) break;
    }
    begins_.push_back(place);
  }
  return begins_[static_cast<size_t>(step - 1)];
}

std::vector<Batches::Pick> Batches::picks(int64_t step, int64_t part, int64_t parts) {
  const int64_t end = begin_of(step + 1), begin = begin_of(step), count = end - begin;
  std::vector<Pick> result;
  for (int64_t i = begin + count * part / parts; i < begin + count * (part + 1) / parts; ++i) {
    result.push_back(pick(i));
  }
  return result;
}

}  // namespace locus
