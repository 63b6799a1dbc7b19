#include "locus/nn/decoder.h"

#include "locus/nn/generate.h"
#include "locus/op/gather.h"

namespace locus {

Decoder::Decoder(const Model& model, const std::vector<std::vector<int32_t>>& texts) : model_(model) {
  const Blueprint& b = model.blueprint();
  require(b.head == HeadKind::next_token, "generate: the model has no head for the next token");
  const bool reads = b.kind == ModelKind::encoder_decoder;
  require(reads || texts.empty(), "generate: a decoder alone reads no other text; put it into the prompt");
  require(!reads || !texts.empty(), "generate: an encoder-decoder needs a text to read");
  if (!reads) return;
  const NoGrad scope;
  memory_ = model.transformer().encode(tokens_of(texts, b));
}

Tensor Decoder::step(const std::vector<std::vector<int32_t>>& fresh) {
  const NoGrad scope;
  const Tokens tokens = tokens_of(fresh, model_.blueprint());
  Pass pass;
  pass.cache = &cache_;
  const Var hidden =
      memory_ ? model_.transformer().decode(tokens, *memory_, pass) : model_.transformer()(tokens, pass);
  std::vector<int32_t> last;
  for (const int32_t start : tokens.placement.sequences().query_starts.data<int32_t>().subspan(1)) {
    last.push_back(start - 1);
  }
  const Var rows = op::gather(hidden, Tensor::of({static_cast<int64_t>(last.size())}, last));
  return model_.head()(rows, tokens.placement).value();
}

void Decoder::select(std::span<const int64_t> sequences) { cache_.select(sequences); }

}  // namespace locus
