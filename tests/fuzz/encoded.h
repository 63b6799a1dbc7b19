// Invariants of every tokenizer and text: ids without offsets are the same, offsets stay inside the text, and
// all tokens can be decoded.
#pragma once

#include <cstdlib>

#include "locus/text/tokenizer.h"

inline void check_encoding(const locus::Tokenizer& tokenizer, std::string_view text) {
  for (const auto specials : {locus::Specials::are_text, locus::Specials::are_tokens}) {
    const locus::Encoding encoding =
        tokenizer.encoding(text, {.specials = specials, .framed = false, .unit = locus::OffsetUnit::bytes});
    for (const auto& [begin, end] : encoding.offsets) {
      if (begin > end || end > text.size()) std::abort();
    }
    if (tokenizer.encode(text, specials) != encoding.ids) std::abort();
    tokenizer.decode(encoding.ids);
  }
}
