// The compiled normalization rules of SentencePiece: a map from short texts to replacements, in the format
//   u32 size of the trie | the trie, a double array (Yata et al. 2007) | replacements, each terminated by NUL
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

class CharsMap {
 public:
  // `what` begins the error if the bytes are not such a map.
  CharsMap(std::string_view bytes, std::string_view what);

  struct Found {
    size_t length = 0;  // of the replaced prefix; 0: no prefix has a rule
    std::string_view word;
  };
  // The prefixes of a text are examined up to this length in bytes. Rules are for a few characters.
  static constexpr size_t kLongestPrefix = 1024;
  Found shortest(std::string_view text) const;  // the shortest prefix of `text` with a rule
  Found longest(std::string_view text) const;

 private:
  template <bool first_only>
  Found find(std::string_view text) const;

  std::vector<uint32_t> units_;
  std::string words_;
};

}  // namespace locus
