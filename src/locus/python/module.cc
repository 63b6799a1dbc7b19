// The Python module locus._core. The package in python/locus wraps it.
#include "locus/base/version.h"
#include "locus/python/bindings.h"

NB_MODULE(_core, module) {
  using namespace locus::python;
  // Threads of the user may hold objects when Python exits.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled part of the package locus.";
  module.attr("__version__") = nanobind::cast(std::string(locus::version()).c_str());
  bind_errors(module);
  bind_machine(module);
  bind_embedder(module);
  bind_classifier(module);
  bind_answerer(module);
  bind_tokenizer(module);
  bind_writer(module);
  bind_model(module);
  bind_scheme(module);
  bind_compare(module);
  bind_train(module);
  bind_positions(module);
  bind_attention(module);
  bind_embed(module);
  bind_rotate(module);
  bind_score_maps(module);
  bind_trainable_scheme(module);
}
