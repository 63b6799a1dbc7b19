// What a model is trained on: samples as token ids, however they came about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locus/kernel/loss.h"

namespace locus {

// What the model should have said depends on its head:
//   next_token, masked_token, token_class   a target for each id, kernel::kIgnoredTarget where none counts
//   sequence_class                          one, the label
//   answer                                  two, the first and the last id of the answer, counted from 0
struct Sample {
  std::vector<int32_t> ids;       // what it reads; of an encoder-decoder, what the decoder reads
  std::vector<int32_t> targets;   // see above
  std::vector<int32_t> text;      // of an encoder-decoder: what the encoder reads
  std::vector<int32_t> segments;  // one for each id, or none; of an encoder-decoder, for each of the text
};

class Samples {
 public:
  virtual ~Samples() = default;
  virtual int64_t size() const = 0;
  virtual std::string name() const = 0;             // for errors
  virtual int64_t length(int64_t index) const = 0;  // ids and text together
  // The same each time for the same epoch; another epoch may hide other tokens.
  virtual Sample at(int64_t index, int64_t epoch) const = 0;
};

}  // namespace locus
