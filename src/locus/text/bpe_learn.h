// Learns byte-level merges from text: again and again the most frequent pair of neighbouring tokens inside
// words becomes a token. Of pairs equally frequent the one with the smaller left id wins, then with the
// smaller right id, so the result depends on the text alone. Bytes have the ids 0 to 255 in the order of
// their spelling, merges follow, special tokens are last.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/text/bpe.h"

namespace locus {

struct LearnOptions {
  int32_t size = 0;                   // V: bytes, merges and special tokens; 256 + special tokens at least
  std::vector<std::string> specials;  // names
  // Told now and then how many tokens there are of `size`.
  std::function<void(int32_t tokens, int32_t size)> progress;
};

// Words of any number of texts, each counted.
class WordCounts {
 public:
  void add(std::string_view text);
  const std::unordered_map<std::string, int64_t>& words() const { return words_; }

 private:
  std::unordered_map<std::string, int64_t> words_;
};

// At most `size` tokens; fewer when no pair is left that occurs twice.
BpeVocabulary learn_bpe(const WordCounts& counts, const LearnOptions& options);

}  // namespace locus
