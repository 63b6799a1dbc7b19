// Byte-level byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909; over bytes as in GPT-2). A text is
// split into words, and a word into its bytes; then known pairs of neighbors merge, the earliest learned pair
// first. All 256 bytes are tokens, so every text can be encoded, and decoding returns exactly its bytes.
#pragma once

#include <array>

#include "locus/text/merge_table.h"
#include "locus/text/tokenizer.h"

namespace locus {

class CachePool;

// How the vocabulary file defines the merges.
enum class BpeForm {
  merges,  // a list of pairs (vocab.bpe + encoder.json)
  ranks,   // a list of tokens (tiktoken): a pair merges if its text is a token, and a word that is a token is
           // never split, whatever its merges would give
};

struct BpeVocabulary {
  BpeForm form = BpeForm::merges;
  std::vector<std::string> tokens;  // the bytes of each id; those of special tokens are ignored
  std::vector<Merge> merges;        // unique pairs, in the order of ranks; result = left + right in bytes
  SpecialTokens specials;
};

class Bpe final : public Tokenizer {
 public:
  // Checks that every byte is a token. The loaders check the rest, because they can name file and line.
  explicit Bpe(BpeVocabulary vocabulary);
  ~Bpe() override;

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
  std::unordered_map<std::string_view, int32_t> whole_words_;  // for BpeForm::ranks only
  std::unique_ptr<CachePool> caches_;
};

}  // namespace locus
