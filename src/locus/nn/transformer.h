// The transformer of every blueprint: an encoder, a decoder, or an encoder-decoder.
#pragma once

#include <optional>

#include "locus/nn/stack.h"

namespace locus {

class Transformer {
 public:
  Transformer(const Blueprint& blueprint, const ParameterFactory& factory);

  // Hidden states [N, C] of a single stack.
  Var operator()(const Tokens& tokens, const ForwardPass& pass = {}) const;
  // For an encoder-decoder: encode the text once, then decode. With a KV cache, `memory` has the texts of the
  // sequences whose text is not in the cache yet.
  Memory encode(const Tokens& text, const ForwardPass& pass = {}) const;
  Var decode(const Tokens& tokens, const Memory& memory, const ForwardPass& pass = {}) const;

  // nullptr if the model has no such stack.
  const Stack* encoder() const { return encoder_ ? &*encoder_ : nullptr; }
  const Stack* decoder() const { return decoder_ ? &*decoder_ : nullptr; }
  // [V, K]; K is the embedding width minus the width of a joined (concatenated) input term.
  const Var& tokens() const { return tokens_->rows; }
  bool has_all_tokens() const { return tokens_->source == nullptr; }
  // From now on rows of the token table are loaded from `source` on first use. Nothing else may read the
  // table, so the head must not be tied to it.
  void load_tokens_from(std::shared_ptr<const RowSource> source) { tokens_->source = std::move(source); }

 private:
  std::shared_ptr<TokenTable> tokens_;
  std::optional<Stack> encoder_, decoder_;
};

}  // namespace locus
