// A transformer with its head and parameters: the unit of training, saving, loading and inference.
#pragma once

#include <memory>
#include <optional>

#include "locus/autograd/parameters.h"
#include "locus/nn/blueprint.h"
#include "locus/nn/cache.h"
#include "locus/nn/forward_pass.h"

namespace locus {

class Head;
class Transformer;

class Model {
 public:
  struct Options {
    std::optional<uint64_t> seed = 0;  // empty: weights stay uninitialized, to be read from a file
    DType dtype = DType::f32;
    // Format of the weight matrices and of the token embeddings: f32, or bf16 for inference only. With bf16
    // no parameter has a gradient.
    DType weights = DType::f32;
    Device device = Device::cpu;
  };
  explicit Model(const Blueprint& blueprint) : Model(blueprint, Options()) {}
  Model(const Blueprint& blueprint, const Options& options);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const Blueprint& blueprint() const { return blueprint_; }
  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }
  Transformer& transformer() { return *transformer_; }
  const Transformer& transformer() const { return *transformer_; }
  const Head& head() const { return *head_; }

  // The output of the head, for a single stack, and for an encoder-decoder with encoder input `text` and
  // decoder input `tokens`.
  Var operator()(const Tokens& tokens, const ForwardPass& pass = {}) const;
  Var operator()(const Tokens& text, const Tokens& tokens, const ForwardPass& pass = {}) const;
  // The hidden states [N, C] of a single stack, which the head reads.
  Var hidden(const Tokens& tokens, const ForwardPass& pass = {}) const;

 private:
  Blueprint blueprint_;
  std::unique_ptr<Parameters> parameters_;  // on the heap: modules point to it, also after the model moved
  std::unique_ptr<Transformer> transformer_;
  std::unique_ptr<Head> head_;
};

}  // namespace locus
