// The parts of the Python module locus._core: one function per file, called by module.cc.
#pragma once

#include <nanobind/nanobind.h>

namespace locus::python {

void bind_errors(nanobind::module_& module);   // errors.cc
void bind_machine(nanobind::module_& module);  // machine.cc

}  // namespace locus::python
