// A scheme of a study together with its options, as one word: "rotary", "learned+t5" or
// "rotary:base=500000:pairs=halves". The word names the scheme's cells and its row in the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "locus/scheme/scheme.h"

namespace locus::study {

struct SchemeChoice {
  const SchemeInfo* info = nullptr;
  OptionValues options;  // those in the word; all others have their defaults

  std::string word() const;  // options in alphabetical order
  // Without the extensions that set an option of the word.
  std::vector<Extension> extensions() const;
};

// Throws if the scheme or an option is unknown, or if a value is out of range.
SchemeChoice scheme_choice(std::string_view word);

}  // namespace locus::study
