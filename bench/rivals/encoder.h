// A model folder as a job: computes the hidden states of a rectangle of ids.
#pragma once

#include <memory>

#include "bench/rivals/contender.h"
#include "locus/checkpoint/model_folder.h"

namespace locus::bench {

inline int serve_encoder(int argc, char** argv, DType weights = DType::f32) {
  return serve(argc, argv, [weights](const Inputs& in) {
    const auto folder = std::make_shared<ModelFolder>(open_model(in.folder / "model", {.weights = weights}));
    folder->model.parameters().freeze("");  // as every inference command does
    const Tensor ids = in.tensor("ids");
    const Tokens tokens = {
        ids.reshape({ids.numel()}),
        Placement::rectangle(ids.size(0), ids.size(1), folder->architecture.blueprint.policy()),
        {}};
    return [=] {
      const NoGrad scope;
      return folder->model.hidden(tokens).value();
    };
  });
}

}  // namespace locus::bench
