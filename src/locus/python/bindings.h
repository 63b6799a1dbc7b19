// The parts of the Python module locus._core: one function per file, called by module.cc.
#pragma once

#include <nanobind/nanobind.h>

namespace locus::python {

void bind_errors(nanobind::module_& module);      // errors.cc
void bind_machine(nanobind::module_& module);     // machine.cc
void bind_embedder(nanobind::module_& module);    // embedder.cc
void bind_classifier(nanobind::module_& module);  // classifier.cc
void bind_answerer(nanobind::module_& module);    // answerer.cc
void bind_tokenizer(nanobind::module_& module);   // tokenizer.cc
void bind_writer(nanobind::module_& module);      // writer.cc
void bind_model(nanobind::module_& module);       // model.cc
void bind_scheme(nanobind::module_& module);      // scheme.cc
void bind_compare(nanobind::module_& module);     // compare.cc
void bind_train(nanobind::module_& module);       // train.cc
void bind_positions(nanobind::module_& module);   // positions.cc

// On memory of the caller, for locus.torch.
void bind_attention(nanobind::module_& module);         // attention.cc
void bind_embed(nanobind::module_& module);             // embed.cc
void bind_rotate(nanobind::module_& module);            // rotate.cc
void bind_score_maps(nanobind::module_& module);        // score_maps.cc
void bind_trainable_scheme(nanobind::module_& module);  // trainable_scheme.cc

}  // namespace locus::python
