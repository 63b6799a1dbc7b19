// Texts to vectors: an encoder, or a decoder that was trained for it, and what its folder's own files say
// about making one vector of a text's hidden states (modules.json, 1_Pooling/config.json, 2_Dense,
// sentence_bert_config.json and config_sentence_transformers.json, as sentence-transformers writes them).
//   embedding = normalise(dense(pool(hidden(tokens(prompt + text)))))      [C]
#pragma once

#include <map>

#include "locus/apply/dense_step.h"
#include "locus/apply/reading.h"

namespace locus {

class Embedder {
 public:
  explicit Embedder(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }
  int64_t width() const { return dense_.empty() ? model_.blueprint().width : dense_.back().width(); }  // C

  // f32 [texts, C], in the order of the texts; rows of texts that could not be read are 0. `prompt` names one
  // of the folder's that stands before each; without one, that which it has for every text, if any.
  Tensor embed(std::span<const std::string> texts, const ReadOptions& options = {},
               std::string_view prompt = {}) const;
  // For a search: as a "query" or a "document", behind the prompt of that name, or none where there is none.
  Tensor embed_as(std::string_view purpose, std::span<const std::string> texts,
                  const ReadOptions& options = {}) const;

 private:
  void read_modules();
  void read_pooling(const std::filesystem::path& file);
  void read_prompts();
  void read_limits();
  const std::string& prompt_named(std::string_view name) const;
  Tensor embed_behind(const std::string& prompt, std::span<const std::string> texts,
                      const ReadOptions& options) const;
  void embed_batch(const TextBatch& batch, const Tensor& out) const;

  TextModel model_;
  Pooling pooling_ = Pooling::mean;
  std::vector<DenseStep> dense_;
  bool normalize_ = false;
  bool lower_ = false;                          // texts are lowered before the tokenizer sees them
  std::map<std::string, std::string> prompts_;  // by name
  std::string default_prompt_;                  // stands before texts that come without a purpose
  bool pools_prompts_ = true;                   // what they become counts as part of the text
};

}  // namespace locus
