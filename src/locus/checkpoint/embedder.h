// Texts to vectors with a model folder: its tokenizer, its encoder, and what its own files say about making
// one vector of a text's hidden states (modules.json and 1_Pooling/config.json, as sentence-transformers
// writes them).
//   embedding = normalise(pool(encoder(tokens)))      [C]
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "locus/checkpoint/model_folder.h"
#include "locus/text/tokenizer.h"

namespace locus {

struct EmbedOptions {
  bool truncate = false;  // a text that is too long is cut, and else an error
  int64_t tokens = 4096;  // of a batch, about
};

class Embedder {
 public:
  explicit Embedder(const std::filesystem::path& folder);

  int64_t width() const { return model_.architecture.blueprint.width; }  // C
  int64_t longest() const { return longest_; }  // tokens of a text, those around it too
  const std::vector<std::string>& warnings() const { return model_.warnings; }

  // f32 [texts, C], in the order of the texts. A text's vector does not depend on the others. An error about
  // a text names its number, from 1.
  Tensor embed(std::span<const std::string> texts, const EmbedOptions& options = {}) const;

 private:
  void read_modules(const std::filesystem::path& folder);
  void read_pooling(const std::filesystem::path& file);
  std::vector<Encoding> encode(std::span<const std::string> texts, bool truncate) const;
  void embed_batch(std::span<const Encoding> texts, std::span<const size_t> which, const Tensor& out) const;

  ModelFolder model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  Pooling pooling_ = Pooling::mean;
  bool normalize_ = false;
  int64_t longest_;
};

}  // namespace locus
