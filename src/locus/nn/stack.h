// Embeddings and the layers above them: what many papers call a transformer encoder.
#pragma once

#include <memory>
#include <vector>

#include "locus/nn/layer.h"
#include "locus/nn/token_table.h"

namespace locus {

class Embeddings {
 public:
  // `tokens` is made by whoever shares it; `place` numbers the dropout.
  Embeddings(const Blueprint& blueprint, const ParameterFactory& factory,
             std::shared_ptr<const TokenTable> tokens, uint64_t place);

  // Token rows, the scheme's input term and segment rows, summed (or joined), normed, and projected where
  // they have another width: [N, C].
  Var operator()(const Tokens& tokens, const std::optional<InputTerm>& input, const ForwardPass& pass) const;

 private:
  std::shared_ptr<const TokenTable> tokens_;
  Var segments_;
  Norm norm_;
  Linear project_;
  float scale_, dropout_;
  int32_t padding_token_;
  uint64_t place_;
};

// The scheme of a stack, and that of the layers that see all keys, where they have their own.
struct Schemes {
  std::unique_ptr<Scheme> own, full;
};

class Stack {
 public:
  // `tokens` may be shared with another stack; places of random numbers begin at `place`.
  Stack(const Blueprint& blueprint, const ParameterFactory& factory, Schemes schemes,
        std::shared_ptr<const TokenTable> tokens, bool reads_text, uint64_t place);

  // [N, C]; a memory for a decoder that reads one.
  Var operator()(const Tokens& tokens, const ForwardPass& pass,
                 const std::optional<Memory>& memory = {}) const;
  const Scheme& scheme() const { return *schemes_.own; }
  const Scheme* global_scheme() const { return schemes_.full.get(); }  // nullptr: all layers have the same
  const Layer& layer(size_t index) const { return layers_.at(index); }

 private:
  Schemes schemes_;
  Embeddings embeddings_;
  std::vector<Layer> layers_;
  Norm norm_;
};

}  // namespace locus
