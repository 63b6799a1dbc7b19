// Learns byte-level BPE merges from text: repeatedly, the most frequent pair of neighboring tokens inside
// words becomes a token. On a tie, the pair with the smaller left id wins, then the one with the smaller
// right id, so the result depends on the text alone. Bytes have the ids 0 to 255 in the order of their
// spelling; merges follow, then special tokens.
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
  int32_t size = 0;                   // V: bytes, merges and special tokens; at least 256 + special tokens
  std::vector<std::string> specials;  // names
  // Called from time to time with the number of tokens so far.
  std::function<void(int32_t tokens, int32_t size)> progress;
};

// Counts the words of any number of texts.
class WordCounts {
 public:
  void add(std::string_view text);
  const std::unordered_map<std::string, int64_t>& words() const { return words_; }

 private:
  std::unordered_map<std::string, int64_t> words_;
};

// Learns at most `size` tokens, and fewer if no pair occurs twice any more.
BpeVocabulary learn_bpe(const WordCounts& counts, const LearnOptions& options);

}  // namespace locus
