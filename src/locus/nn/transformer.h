// One transformer for every blueprint: an encoder, a decoder, or an encoder whose states a decoder reads.
#pragma once

#include <optional>

#include "locus/nn/stack.h"

namespace locus {

class Transformer {
 public:
  Transformer(const Blueprint& blueprint, const ParameterFactory& factory);

  // Hidden states [N, C] of a single stack.
  Var operator()(const Tokens& tokens, const ForwardPass& pass = {}) const;
  // Of two: first the text is read, then the answer is written. A cached pass needs the text only once.
  Memory encode(const Tokens& text, const ForwardPass& pass = {}) const;
  Var decode(const Tokens& tokens, const Memory& memory, const ForwardPass& pass = {}) const;

  // nullptr: there is none.
  const Stack* encoder() const { return encoder_ ? &*encoder_ : nullptr; }
  const Stack* decoder() const { return decoder_ ? &*decoder_ : nullptr; }
  // [V, K], K the rows' width less what a scheme joins on.
  const Var& tokens() const { return tokens_->rows; }
  bool has_all_tokens() const { return tokens_->source == nullptr; }
  // From now on rows of tokens come from there, when a text has them. Nothing else may read the table: a head
  // that is tied to it does.
  void take_tokens_from(std::shared_ptr<const RowSource> source) { tokens_->source = std::move(source); }

 private:
  std::shared_ptr<TokenTable> tokens_;
  std::optional<Stack> encoder_, decoder_;
};

}  // namespace locus
