// SentencePiece's compiled rules: a map from short texts to their replacements, in the bytes
//   u32 size of the trie | the trie, a double array (Yata et al. 2007) | replacements, each ended by a NUL
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

class CharsMap {
 public:
  // `what` begins the error when the bytes cannot be such a map.
  CharsMap(std::string_view bytes, std::string_view what);

  struct Found {
    size_t length = 0;  // of the text that is replaced; 0: none of its beginnings has a rule
    std::string_view word;
  };
  Found shortest(std::string_view text) const;  // of the beginnings of `text` that have a rule
  Found longest(std::string_view text) const;

 private:
  template <bool first_only>
  Found find(std::string_view text) const;

  std::vector<uint32_t> units_;
  std::string words_;
};

}  // namespace locus
