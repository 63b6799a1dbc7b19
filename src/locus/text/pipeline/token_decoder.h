// The way back: tokens as the vocabulary spells them become text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "locus/text/pipeline/json_part.h"

namespace locus {

class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;
  // Changes tokens in place; in the end they are joined.
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

std::unique_ptr<TokenDecoder> read_decoder(const JsonPart& part);

}  // namespace locus
