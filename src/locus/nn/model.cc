#include "locus/nn/model.h"

namespace locus {

Model::Model(const Blueprint& blueprint, const Options& options)
    : blueprint_(with_scheme_names(blueprint)),
      parameters_(std::make_unique<Parameters>(options.dtype, options.device)),
      factory_(Scope(*parameters_), options.seed, blueprint.initial_std(), options.weights),
      transformer_(blueprint_, factory_),
      head_(blueprint_, factory_.owned_by(Owner::head) / "head", transformer_.tokens()) {
  require(options.weights == DType::f32 || options.weights == DType::bf16,
          "Model: the weight format is {}, expected f32 or bf16", name_of(options.weights));
  if (options.weights == DType::bf16) parameters_->freeze("");
}

Var Model::operator()(const Tokens& tokens, const ForwardPass& pass) const {
  return head_(transformer_(tokens, pass), tokens.placement, pass);
}

Var Model::operator()(const Tokens& text, const Tokens& tokens, const ForwardPass& pass) const {
  const Var hidden = transformer_.decode(tokens, transformer_.encode(text, pass), pass);
  return head_(hidden, tokens.placement, pass);
}

}  // namespace locus
