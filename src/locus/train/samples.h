// Training samples as token ids, from any source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/kernel/loss.h"

namespace locus {

// The targets depend on the model's head:
//   next_token, masked_token, token_class   one per id; kernel::kIgnoredTarget: not predicted
//   sequence_class                          one: the label
//   answer                                  two: the indices of the first and the last id of the answer
struct Sample {
  std::vector<int32_t> ids;       // the input; for an encoder-decoder, the decoder's input
  std::vector<int32_t> targets;   // see above
  std::vector<int32_t> text;      // the encoder's input, for an encoder-decoder only
  std::vector<int32_t> segments;  // empty, or one per id; for an encoder-decoder, one per id of `text`
};

class Samples {
 public:
  virtual ~Samples() = default;
  virtual int64_t size() const = 0;
  virtual std::string name() const = 0;             // for errors
  virtual int64_t length(int64_t index) const = 0;  // ids and text together
  // Returns the same sample for the same epoch. Other epochs may mask other tokens.
  virtual Sample at(int64_t index, int64_t epoch) const = 0;
};

}  // namespace locus
