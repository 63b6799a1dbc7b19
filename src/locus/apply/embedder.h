// Texts to vectors: a model's encoder, and what its folder's own files say about making one vector of a
// text's hidden states (modules.json, 1_Pooling/config.json, 2_Dense, sentence_bert_config.json and
// config_sentence_transformers.json, as sentence-transformers writes them).
//   embedding = normalise(dense(pool(encoder(tokens(prompt + text)))))      [C]
#pragma once

#include "locus/apply/dense_step.h"
#include "locus/apply/reading.h"

namespace locus {

class Embedder {
 public:
  explicit Embedder(const std::filesystem::path& folder, DType weights = DType::f32);

  const TextModel& model() const { return model_; }
  int64_t width() const { return dense_.empty() ? model_.blueprint().width : dense_.back().width(); }  // C

  // f32 [texts, C], in the order of the texts; rows of texts that could not be read are 0.
  Tensor embed(std::span<const std::string> texts, const ReadOptions& options = {}) const;

 private:
  void read_modules();
  void read_pooling(const std::filesystem::path& file);
  void read_prompt();
  void read_limits();
  std::string prepared(const std::string& text) const;
  void embed_batch(const TextBatch& batch, const Tensor& out) const;

  TextModel model_;
  Pooling pooling_ = Pooling::mean;
  std::vector<DenseStep> dense_;
  bool normalize_ = false;
  bool lower_ = false;  // texts are lowered before the tokenizer sees them
  std::string prompt_;  // stands before every text
};

}  // namespace locus
