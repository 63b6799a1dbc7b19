// Decoding: turns the spellings of tokens into text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "locus/base/json_part.h"
#include "locus/text/pipeline/budget.h"

namespace locus {

class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;
  // Changes the tokens in place. After all steps they are concatenated. `budget` is that of all tokens
  // together.
  virtual void apply(std::vector<std::string>& tokens, TextBudget& budget) const = 0;
};

std::unique_ptr<TokenDecoder> read_decoder(const JsonPart& part);

}  // namespace locus
