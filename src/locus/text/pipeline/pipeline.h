// A tokenizer.json of Hugging Face tokenizers. The steps: match added tokens, normalize the text, split it
// into words, encode every word with the vocabulary, and add special tokens. Each step is a small file in
// this folder. The settings of the file for truncation and padding are ignored: the caller controls both.
#pragma once

#include "locus/text/cached_words.h"
#include "locus/text/pipeline/added_tokens.h"
#include "locus/text/pipeline/post_processor.h"
#include "locus/text/pipeline/pre_tokenizer.h"
#include "locus/text/pipeline/token_decoder.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/tokenizer.h"

namespace locus {

// The parts of a tokenizer.json; only the model is required.
struct PipelineParts {
  std::vector<std::pair<std::string, std::string>> files;  // names and contents of the files it was read from
  std::vector<AddedToken> added;
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  PostProcessor post_processor;
  std::unique_ptr<TokenDecoder> decoder;
  std::vector<std::string> tokens;     // by id, as the vocabulary spells them; empty: unused id
  std::unique_ptr<Tokenizer> targets;  // for target texts, if they have their own model
  std::string missing_targets;         // the file for target texts, if it is missing
};

// The spellings of model tokens and added tokens, by id. Throws if two share an id; `where` begins the error.
std::vector<std::string> tokens_by_id(const PipelineParts& parts, const std::string& where);

// Parses a tokenizer.json. `where` begins every error. An unsupported component is an error that names it.
// `config`, if given, is tokenizer_config.json; the two must agree.
PipelineParts read_pipeline(std::string json, const std::string& where, const JsonPart* config = nullptr);
// Parses the normalizer, the pre-tokenizer and the decoder of a tokenizer.json.
void read_steps(const JsonPart& tokenizer, PipelineParts& parts);
// Fills PipelineParts::tokens from the other parts, and checks the special tokens of the post-processor.
void fill_tokens(PipelineParts& parts, const std::string& where);

class Pipeline final : public Tokenizer {
 public:
  explicit Pipeline(PipelineParts parts);

  std::string_view kind() const override { return parts_.model->kind(); }
  std::vector<int32_t> encode(std::string_view text, Specials specials = Specials::are_text) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  size_t frame_size(bool pair) const override { return parts_.post_processor.added(pair); }
  const Tokenizer& targets() const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  void append(std::string_view text, std::vector<int32_t>& ids) const override;
  std::string_view plain_bytes(int32_t id) const override;
  bool has_no_text(int32_t id) const override;  // by name, because some vocabularies list <unk> twice
  Encoding tokens_of(std::string_view text, Specials specials) const override;
  std::vector<int32_t> encode_outside(std::string_view text, std::span<const TextSpan> user) const override;
  // The tokens of a text whose special tokens touch none of the ranges.
  Encoding tokens_outside(std::string_view text, Specials specials, std::span<const TextSpan> user) const;
  Encoding frame(Encoding first, const Encoding* second, bool framed) const override;
  void append_text(AlignedText text, WordCache& cache, Encoding& encoding) const;
  void append_words(const AlignedText& text, const Words& words, WordCache& cache, Encoding& encoding) const;
  void append_word(const AlignedText& text, AlignedText::Range word, WordCache& cache,
                   std::vector<Piece>& scratch, Encoding& encoding) const;

  // In encode_chunks.cc. Those that return bool return false if the text must be encoded as a whole.
  struct ChunkPlace {
    bool raw;          // the chunk is not normalized yet
    bool first;        // no chunk is before it
    bool starts_text;  // it begins at the first byte of the text
  };
  bool append_chunks(std::string_view text, std::vector<int32_t>& ids) const;
  bool append_chunk(std::string_view chunk, bool first, TextBudget& budget, std::vector<Piece>& scratch,
                    std::vector<int32_t>& ids) const;
  // Appends the tokens of a long text with offsets. `raw`: the text is not normalized yet.
  bool append_sections(const AlignedText& text, bool raw, WordCache& cache, Encoding& encoding) const;
  size_t section_end(std::string_view text, size_t begin) const;
  template <class Use>
  bool with_words(std::string_view chunk, ChunkPlace place, TextBudget& budget, Use&& use) const;

  PipelineParts parts_;
  AddedTokenFinder raw_, normalized_;
  Chunking chunking_;
  bool chunks_raw_text_ = false;  // chunks are split before normalization
  mutable CachePool word_caches_, chunk_caches_;
};

}  // namespace locus
