// A tokenizer.json as HF tokenizers writes them: added tokens are found, a text is normalized, cut into
// words, and every word becomes tokens of the vocabulary; tokens of its own may be put around. Each step is a
// small file beside this one. What the file says about truncation and padding is not looked at: both are the
// caller's.
#pragma once

#include <mutex>

#include "locus/text/pipeline/added_tokens.h"
#include "locus/text/pipeline/decoder.h"
#include "locus/text/pipeline/post_processor.h"
#include "locus/text/pipeline/pre_tokenizer.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/tokenizer.h"

namespace locus {

class WordCache;

// What a tokenizer.json is made of; only the model must be there.
struct PipelineParts {
  std::string json;  // the file's own text
  std::vector<AddedToken> added;
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  PostProcessor post_processor;
  std::unique_ptr<Decoder> decoder;
  std::vector<std::string> tokens;  // by id, as the vocabulary spells them; an empty one is a hole
};

// `where` begins every error. A component that Locus does not know is an error that names it.
PipelineParts read_pipeline(std::string json, const std::string& where);

class Pipeline final : public Tokenizer {
 public:
  explicit Pipeline(PipelineParts parts);
  ~Pipeline() override;

  std::string_view kind() const override { return parts_.model->kind(); }
  std::vector<int32_t> encode(std::string_view text, Specials specials) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  size_t frame_size(bool pair) const override { return parts_.post_processor.added(pair); }
  void save(const std::filesystem::path& folder) const override;

 private:
  void append(std::string_view text, std::vector<int32_t>& ids) const override;
  std::string_view plain_bytes(int32_t id) const override;
  bool has_no_text(int32_t id) const override;  // by the name: some vocabularies list <unk> twice
  Encoding tokens_of(std::string_view text, Specials specials) const override;
  Encoding frame(Encoding first, const Encoding* second, bool framed) const override;
  void append_part(AlignedText text, WordCache& cache, Encoding& encoding) const;
  void append_word(const AlignedText& text, AlignedText::Range word, WordCache& cache,
                   Encoding& encoding) const;

  PipelineParts parts_;
  AddedTokenFinder raw_, normalized_;

  // A cache for each encoder at work; one that is done leaves its own for the next.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<WordCache>> idle_caches_;
};

}  // namespace locus
