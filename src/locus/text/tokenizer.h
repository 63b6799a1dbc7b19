// Text to token ids and back. A vocabulary has V tokens with ids 0 to V - 1; some of them are special and
// stand for no text. Encoding is a function of the text alone, and any number of threads may encode at once.
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

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // "bytes", "characters", "merges", "ranks"; of a tokenizer.json "wordpiece", "bpe", "unigram"
  virtual std::string_view kind() const = 0;
  int32_t size() const { return size_; }  // V

  virtual std::vector<int32_t> encode(std::string_view text, Specials specials = Specials::are_text) const;
  // The same with offsets, cut to a length, and with the tokens around it that the vocabulary asks for.
  Encoding encoding(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encoding(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;
  virtual size_t frame_size(bool) const { return 0; }  // how many tokens stand around one text, or two
  // The text of the tokens one after the other, special ones as their names. For a byte-level vocabulary this
  // gives back the very bytes that were encoded, UTF-8 or not.
  virtual std::string decode(std::span<const int32_t> ids) const;
  std::string decode_text(std::span<const int32_t> ids) const;  // without special tokens
  std::string_view bytes(int32_t id) const;  // of one token; of a tokenizer.json, as its vocabulary spells it

  const SpecialTokens& specials() const { return specials_; }
  int32_t special(std::string_view name) const;  // its id; an error that lists the names when there is none

  // What cuts texts that a model writes: where they are of another language, a tokenizer of the same
  // vocabulary that is not this one.
  virtual const Tokenizer& targets() const { return *this; }

  // Writes what load_tokenizer() reads; the folder is made when it is not there.
  virtual void save(const std::filesystem::path& folder) const = 0;

 protected:
  Tokenizer(int32_t size, SpecialTokens specials);

 private:
  // The ids of a text without special tokens, behind those that are there.
  virtual void append(std::string_view text, std::vector<int32_t>& ids) const = 0;
  virtual bool has_no_text(int32_t id) const { return specials_.name(id) != nullptr; }
  // The tokens of a text, with offsets in bytes.
  virtual Encoding tokens_of(std::string_view text, Specials specials) const;
  // Puts its tokens around one text or two (`second` may be nothing); without `framed` none.
  virtual Encoding frame(Encoding first, const Encoding* second, bool framed) const;
  // Of a token that is not special; id is in [0, V).
  virtual std::string_view plain_bytes(int32_t id) const = 0;

  Encoding measured(std::string_view text, const EncodeOptions& options) const;

  int32_t size_;
  SpecialTokens specials_;
};

// Opens `place`: the word "bytes" (no file needed), or a folder. A folder saved by Locus says what it is in
// vocabulary.json; without that, a tokenizer.json is what it says, vocab.txt is WordPiece, vocab.json +
// source.spm are Marian's, vocab.json + merges.txt are byte-level merges as vocab.bpe + encoder.json are,
// tokenizer.model, spm.model, spiece.model and sentencepiece.bpe.model are SentencePiece's, and a single
// *.tiktoken file is ranks.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& place);

}  // namespace locus
