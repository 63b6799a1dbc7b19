#include "locus/nn/model.h"

namespace locus {

Model::Model(const Blueprint& blueprint, const Start& start)
    : blueprint_(blueprint),
      parameters_(std::make_unique<Parameters>(start.dtype, start.device)),
      site_(Scope(*parameters_), start.seed, blueprint.deviation),
      transformer_(blueprint_, site_),
      head_(blueprint_, site_ / "head", transformer_.tokens()) {}

Var Model::operator()(const Tokens& tokens, const Pass& pass) const {
  return head_(transformer_(tokens, pass), tokens.placement, pass);
}

Var Model::operator()(const Tokens& text, const Tokens& tokens, const Pass& pass) const {
  const Var hidden = transformer_.decode(tokens, transformer_.encode(text, pass), pass);
  return head_(hidden, tokens.placement, pass);
}

}  // namespace locus
