// Encodes many texts on all threads. Results are in the order of the texts, and equal those of
// Tokenizer::encode().
#pragma once

#include <span>
#include <string>
#include <vector>

#include "locus/text/tokenizer.h"

namespace locus {

std::vector<std::vector<int32_t>> encode_all(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                             Specials specials = Specials::are_text);

}  // namespace locus
