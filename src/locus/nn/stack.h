// A stack: embeddings followed by layers. Papers call it a transformer encoder or decoder.
#pragma once

#include <memory>
#include <vector>

#include "locus/nn/layer.h"
#include "locus/nn/token_table.h"

namespace locus {

class Embeddings {
 public:
  // `tokens` may be shared with another stack. `place` identifies the random numbers of dropout.
  Embeddings(const Blueprint& blueprint, const ParameterFactory& factory,
             std::shared_ptr<const TokenTable> tokens, uint64_t place);

  // [N, C]: token embeddings, the input term of the scheme and segment embeddings, summed (or joined),
  // normalized, and projected if their width is not C.
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

// The scheme of a stack, and the scheme of its global-attention layers if that is another one.
struct Schemes {
  std::unique_ptr<Scheme> own, global;
};

class Stack {
 public:
  // `tokens` may be shared with another stack. `place` is the first of its places of random numbers.
  Stack(const Blueprint& blueprint, const ParameterFactory& factory, Schemes schemes,
        std::shared_ptr<const TokenTable> tokens, bool cross_attention, uint64_t place);

  // [N, C]. `memory` is the encoder output, for a decoder with cross-attention.
  Var operator()(const Tokens& tokens, const ForwardPass& pass,
                 const std::optional<Memory>& memory = {}) const;
  const Scheme& scheme() const { return *schemes_.own; }
  const Scheme* global_scheme() const { return schemes_.global.get(); }  // nullptr: same as scheme()
  const Layer& layer(size_t index) const { return layers_.at(index); }

 private:
  Schemes schemes_;
  Embeddings embeddings_;
  std::vector<Layer> layers_;
  Norm norm_;
};

}  // namespace locus
