// A tokenizer.json as HF tokenizers writes them: added tokens are found, a text is normalized, cut into
// words, and every word becomes tokens of the vocabulary; tokens of its own may be put around. Each step is a
// small file beside this one. What the file says about truncation and padding is not looked at: both are the
// caller's.
#pragma once

#include "locus/text/cached_words.h"
#include "locus/text/pipeline/added_tokens.h"
#include "locus/text/pipeline/post_processor.h"
#include "locus/text/pipeline/pre_tokenizer.h"
#include "locus/text/pipeline/token_decoder.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/tokenizer.h"

namespace locus {

// What a tokenizer.json is made of; only the model must be there.
struct PipelineParts {
  std::vector<std::pair<std::string, std::string>> files;  // names and contents: what it was read from
  std::vector<AddedToken> added;
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  PostProcessor post_processor;
  std::unique_ptr<TokenDecoder> decoder;
  std::vector<std::string> tokens;     // by id, as the vocabulary spells them; an empty one is a hole
  std::unique_ptr<Tokenizer> targets;  // of texts that are written, where another model cuts them
  std::string missing_targets;         // the file that would say how, when it is not there
};

// The spellings of the model's tokens and of added ones by id. `where` begins the error when two share an id.
std::vector<std::string> tokens_by_id(const PipelineParts& parts, const std::string& where);

// `where` begins every error. A component that Locus does not know is an error that names it. A `model` takes
// the place of the one that the JSON says. Where there is a tokenizer_config.json beside it, the two must
// agree.
PipelineParts read_pipeline(std::string json, const std::string& where,
                            std::unique_ptr<TokenModel> model = nullptr, const JsonPart* config = nullptr);

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
  bool has_no_text(int32_t id) const override;  // by the name: some vocabularies list <unk> twice
  Encoding tokens_of(std::string_view text, Specials specials) const override;
  Encoding frame(Encoding first, const Encoding* second, bool framed) const override;
  // In parts_of_text.cc: ids alone, part by part. False: this text must be taken whole.
  bool append_in_parts(std::string_view text, std::vector<int32_t>& ids) const;
  bool append_alone(std::string_view part, bool first, std::vector<Piece>& scratch,
                    std::vector<int32_t>& ids) const;
  void append_part(AlignedText text, WordCache& cache, Encoding& encoding) const;
  void append_word(const AlignedText& text, AlignedText::Range word, WordCache& cache,
                   std::vector<Piece>& scratch, Encoding& encoding) const;

  PipelineParts parts_;
  AddedTokenFinder raw_, normalized_;
  Parting parting_;
  bool raw_parts_ = false;  // parts are cut before they are normalized
  mutable CacheShelf words_, cut_parts_;
};

}  // namespace locus
