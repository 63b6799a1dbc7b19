#include "locus/nn/model.h"

#include "locus/kernel/kernels.h"
#include "locus/nn/head.h"
#include "locus/nn/transformer.h"

namespace locus {
namespace {

Device usable(Device device) {
  require_usable(device);
  return device;
}

}  // namespace

Model::Model(const Blueprint& blueprint, const Options& options)
    : blueprint_(with_scheme_names(blueprint)),
      parameters_(std::make_unique<Parameters>(options.dtype, usable(options.device))) {
  const ParameterFactory factory(Scope(*parameters_), options.seed, blueprint.initial_std(), options.weights);
  transformer_ = std::make_unique<Transformer>(blueprint_, factory);
  head_ = std::make_unique<Head>(blueprint_, factory.owned_by(Owner::head) / "head", transformer_->tokens());
  require(options.weights == DType::f32 || options.weights == DType::bf16,
          "Model: the weight format is {}, expected f32 or bf16", name_of(options.weights));
  if (options.weights == DType::bf16) parameters_->freeze("");
}

Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Var Model::operator()(const Tokens& tokens, const ForwardPass& pass) const {
  return (*head_)(hidden(tokens, pass), tokens.placement, pass);
}

Var Model::operator()(const Tokens& text, const Tokens& tokens, const ForwardPass& pass) const {
  const Var hidden = transformer_->decode(tokens, transformer_->encode(text, pass), pass);
  return (*head_)(hidden, tokens.placement, pass);
}

Var Model::hidden(const Tokens& tokens, const ForwardPass& pass) const {
  return (*transformer_)(tokens, pass);
}

}  // namespace locus
