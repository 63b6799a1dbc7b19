#include "locus/nn/model.h"

namespace locus {

Model::Model(const Blueprint& blueprint, const Start& start)
    : blueprint_(blueprint),
      parameters_(std::make_unique<Parameters>(start.dtype, start.device)),
      site_(Scope(*parameters_), start.seed, blueprint.deviation, start.weights),
      transformer_(blueprint_, site_),
      head_(blueprint_, site_ / "head", transformer_.tokens()) {
  require(start.weights == DType::f32 || start.weights == DType::bf16,
          "model: weights as {}, expected f32 or bf16", name_of(start.weights));
  if (start.weights == DType::bf16) parameters_->freeze("");
}

Var Model::operator()(const Tokens& tokens, const Pass& pass) const {
  return head_(transformer_(tokens, pass), tokens.placement, pass);
}

Var Model::operator()(const Tokens& text, const Tokens& tokens, const Pass& pass) const {
  const Var hidden = transformer_.decode(tokens, transformer_.encode(text, pass), pass);
  return head_(hidden, tokens.placement, pass);
}

}  // namespace locus
