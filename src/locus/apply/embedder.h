// Text embeddings by an encoder, or by a decoder that was trained for embeddings. The folder's files define
// how the hidden states of a text become one vector: modules.json, 1_Pooling/config.json, 2_Dense,
// sentence_bert_config.json and config_sentence_transformers.json, as sentence-transformers writes them.
//   embedding = normalize(dense(pool(hidden(tokens(prompt + text)))))      [C]
#pragma once

#include <map>

#include "locus/apply/reading.h"

namespace locus {

struct DenseStep;

void scale_to_length_one(std::span<float> vector);  // a vector of zeros stays zero

class Embedder {
 public:
  explicit Embedder(const std::filesystem::path& folder, DType weights = DType::f32,
                    Device device = Device::cpu);
  explicit Embedder(TextModel model);
  Embedder(Embedder&&) noexcept;
  Embedder& operator=(Embedder&&) noexcept;
  ~Embedder();

  const TextModel& model() const { return model_; }
  int64_t width() const;  // C

  std::vector<std::string> prompt_names() const;

  // f32 [texts, C], in the order of the texts. Rows of invalid texts (see ReadOptions::on_bad) are 0.
  // `prompt` is the name of a prompt of the folder, which is put before each text. Empty: the folder's
  // default prompt, if any.
  Tensor embed(ListView<std::string> texts, const ReadOptions& options = {},
               std::string_view prompt = {}) const;
  // For a search: `purpose` is "query" or "document". Uses the prompt of that name, or none if the folder has
  // no such prompt.
  Tensor embed_as(std::string_view purpose, ListView<std::string> texts,
                  const ReadOptions& options = {}) const;

  // The two halves of embed(): the tokens of texts with a prompt, and the vectors of tokens.
  std::vector<Encoding> read(ListView<std::string> texts, const ReadOptions& options = {},
                             std::string_view prompt = {}) const;
  Tensor vectors(std::span<const Encoding> texts, const ReadOptions& options = {}) const;
  // The hidden states of all tokens of each text, [tokens, width of the blueprint], before pooling.
  std::vector<std::vector<float>> states(std::span<const Encoding> texts,
                                         const ReadOptions& options = {}) const;
  bool normalizes() const { return normalize_; }  // the folder's modules scale vectors to length one

 private:
  void read_modules();
  void read_pooling(const std::filesystem::path& file);
  void read_prompts();
  void read_limits();
  const std::string& prompt_named(std::string_view name) const;
  std::vector<Encoding> read_with_prompt(const std::string& prompt, ListView<std::string> texts,
                                         const ReadOptions& options) const;
  TextRows compute(const Tokens& texts) const;         // before normalization, one row per text
  TextRows compute_states(const Tokens& texts) const;  // one row per token

  TextModel model_;
  Pooling pooling_ = Pooling::mean;
  std::vector<DenseStep> dense_;
  bool normalize_ = false;
  bool lower_ = false;                          // texts are lowercased before tokenization
  std::map<std::string, std::string> prompts_;  // by name
  std::string default_prompt_;                  // for texts that are embedded without a prompt name
  bool pools_prompts_ = true;                   // pooling includes the tokens of the prompt
};

}  // namespace locus
