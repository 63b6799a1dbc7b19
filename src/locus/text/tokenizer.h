// Converts text to token ids and back. A vocabulary has V tokens with ids 0 to V - 1, some of them special
// tokens, which have no text. Encoding depends on the text alone, and is thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "locus/text/encoding.h"
#include "locus/text/special_tokens.h"

namespace locus {

class MarkedText;

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // "bytes", "characters", "merges" or "ranks"; for a tokenizer.json "wordpiece", "bpe" or "unigram"
  virtual std::string_view kind() const = 0;
  int32_t size() const { return size_; }  // V

  virtual std::vector<int32_t> encode(std::string_view text, Specials specials = Specials::are_text) const;
  // The same with offsets, truncation, and the special tokens that the tokenizer adds.
  Encoding encoding(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encoding(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;
  virtual size_t frame_size(bool) const { return 0; }  // number of added special tokens; true: for a pair
  // The text of the tokens; special tokens become their names. A byte-level vocabulary returns exactly the
  // bytes that were encoded, UTF-8 or not.
  virtual std::string decode(std::span<const int32_t> ids) const;
  std::string decode_text(std::span<const int32_t> ids) const;  // without special tokens
  // The bytes of one token; for a tokenizer.json, as its vocabulary spells it.
  std::string_view bytes(int32_t id) const;

  const SpecialTokens& specials() const { return specials_; }
  // The id of a special token. If there is no such token, throws and lists all names.
  int32_t special(std::string_view name) const;

  // The tokenizer for the target texts of an encoder-decoder. It differs from this one if source and target
  // language have their own models (Marian), but shares its vocabulary.
  virtual const Tokenizer& targets() const { return *this; }

  // Writes a folder that load_tokenizer() reads. Creates the folder if it does not exist.
  virtual void save(const std::filesystem::path& folder) const = 0;

  // The ids of a text that has parts from users (text/marked_text.h). Names of special tokens are tokens,
  // unless a user wrote any part of them.
  std::vector<int32_t> encode_marked(const MarkedText& text) const;

 protected:
  Tokenizer(int32_t size, SpecialTokens specials);

 private:
  // Appends the ids of a text without special tokens.
  virtual void append(std::string_view text, std::vector<int32_t>& ids) const = 0;
  virtual bool has_no_text(int32_t id) const { return specials_.name(id) != nullptr; }
  // The tokens of a text, with byte offsets.
  virtual Encoding tokens_of(std::string_view text, Specials specials) const;
  // Joins one text or a pair (`second` may be null), and adds special tokens around them if `framed`.
  virtual Encoding frame(Encoding first, const Encoding* second, bool framed) const;
  // The bytes of a token that is not special; id is in [0, V).
  virtual std::string_view plain_bytes(int32_t id) const = 0;

  // The ids of a text in which names of special tokens are tokens where they touch none of the ranges.
  virtual std::vector<int32_t> encode_outside(std::string_view text, std::span<const TextSpan> user) const;
  Encoding measured(std::string_view text, const EncodeOptions& options) const;

  int32_t size_;
  SpecialTokens specials_;
};

// Opens `place`: the word "bytes" (needs no file), a *.tiktoken file, or a folder with the first of these
// that exists:
//   vocabulary.json            a tokenizer saved by Locus
//   tokenizer.json             a Hugging Face tokenizer
//   vocab.txt                  WordPiece
//   vocab.json + source.spm    Marian
//   vocab.json + merges.txt    byte-level BPE
//   tokenizer.model, spm.model, spiece.model, sentencepiece.bpe.model    SentencePiece
//   vocab.bpe + encoder.json   byte-level BPE
//   *.tiktoken                 ranks; exactly one such file
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& place);

}  // namespace locus
