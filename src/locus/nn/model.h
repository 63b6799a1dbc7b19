// A transformer with its head and its parameters: what is trained, saved, loaded and asked.
#pragma once

#include <optional>

#include "locus/nn/cache.h"
#include "locus/nn/head.h"
#include "locus/nn/transformer.h"

namespace locus {

class Model {
 public:
  struct Options {
    std::optional<uint64_t> seed = 0;  // none: weights are left blank, to be read from elsewhere
    DType dtype = DType::f32;
    // What states are multiplied by, and the table of tokens, which may be that too: f32, or bf16 for a model
    // that is only asked. Then nothing wants a gradient.
    DType weights = DType::f32;
    Device device = Device::cpu;
  };
  explicit Model(const Blueprint& blueprint) : Model(blueprint, Options()) {}
  Model(const Blueprint& blueprint, const Options& options);

  const Blueprint& blueprint() const { return blueprint_; }
  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }
  Transformer& transformer() { return transformer_; }
  const Transformer& transformer() const { return transformer_; }
  const Head& head() const { return head_; }

  // The head's output for a single stack, and for an encoder-decoder that reads `text` and writes `tokens`.
  Var operator()(const Tokens& tokens, const ForwardPass& pass = {}) const;
  Var operator()(const Tokens& text, const Tokens& tokens, const ForwardPass& pass = {}) const;

 private:
  Blueprint blueprint_;
  std::unique_ptr<Parameters> parameters_;  // modules point to it: it stays where it is when a model moves
  ParameterFactory factory_;
  Transformer transformer_;
  Head head_;
};

}  // namespace locus
