// Names of settings, options and commands in other libraries, and their names here.
#pragma once

#include <span>
#include <string_view>

namespace locus {

struct Synonym {
  std::string_view elsewhere;  // lowercase, with underscores
  std::string_view here;
  std::string_view note = "";  // how the values differ
};

// A name may occur several times, for places that have different names here.
std::span<const Synonym> synonyms();

}  // namespace locus
