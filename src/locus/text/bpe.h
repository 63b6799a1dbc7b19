// Byte-level byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909; over bytes as in GPT-2): a text is
// cut into words, a word begins as its bytes, and known pairs of neighbours merge, the earliest learned
// first. All 256 bytes are tokens, so every text has ids, and decoding gives back its very bytes.
#pragma once

#include <array>

#include "locus/text/cached_words.h"
#include "locus/text/merge_table.h"
#include "locus/text/tokenizer.h"

namespace locus {

// Where the merges come from, and what follows from it.
enum class BpeForm {
  merges,  // a list of pairs (vocab.bpe + encoder.json)
  ranks,   // a list of tokens (tiktoken): a pair merges when its text is a token, and a word that is a token
           // is that token, whatever its merges would give
};

struct BpeVocabulary {
  BpeForm form = BpeForm::merges;
  std::vector<std::string> tokens;  // the bytes of each id; those of special tokens are not looked at
  std::vector<Merge> merges;        // no pair twice; left + right = result in bytes; in the order of ranks
  SpecialTokens specials;
};

class Bpe final : public Tokenizer {
 public:
  // Checks that every byte is a token; the loaders check the rest, where they can name file and line.
  explicit Bpe(BpeVocabulary vocabulary);

  std::string_view kind() const override { return form_ == BpeForm::ranks ? "ranks" : "merges"; }
  void save(const std::filesystem::path& folder) const override;

  const std::vector<Merge>& merges() const { return merges_; }

 private:
  void append(std::string_view text, std::vector<int32_t>& ids) const override;
  std::string_view plain_bytes(int32_t id) const override { return tokens_[id]; }
  void append_word(std::string_view word, std::vector<int32_t>& ids) const;

  BpeForm form_;
  std::vector<std::string> tokens_;
  std::vector<Merge> merges_;
  MergeTable table_;
  std::array<int32_t, 256> byte_ids_{};
  std::unordered_map<std::string_view, int32_t> whole_words_;  // of the form ranks
  mutable CacheShelf caches_;
};

}  // namespace locus
