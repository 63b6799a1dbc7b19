// Embeddings and their similarity.
#include "locus/apply/embedder.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "locus/autograd/var.h"
#include "locus/op/matmul.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

void open(Embedder* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) Embedder(path, weights, place);
}

nb::object embed(const Embedder& self, nb::handle texts, const std::string& prompt,
                 const std::string& purpose, bool truncate, int64_t batch_tokens, nb::handle progress) {
  const std::vector<std::string> list = texts_of(texts, "texts");
  const ReadOptions reading = reading_of(truncate, batch_tokens, progress);
  Tensor vectors;
  {
    const WithoutGil computing;
    vectors = purpose.empty() ? self.embed(list, reading, prompt) : self.embed_as(purpose, list, reading);
  }
  return array_of(vectors);
}

// The rows divided by their lengths; rows of zeros stay.
Tensor unit_rows(const Tensor& rows) {
  Tensor unit = rows.clone();
  const auto C = static_cast<size_t>(rows.size(1));
  for (int64_t r = 0; r < rows.size(0); ++r) {
    const auto row = unit.data<float>().subspan(static_cast<size_t>(r) * C, C);
    double squares = 0;
    for (const float value : row) squares += static_cast<double>(value) * value;
    const double length = std::max(std::sqrt(squares), 1e-12);
    for (float& value : row) value = static_cast<float>(value / length);
  }
  return unit;
}

nb::object similarity(const Array& a, const Array& b) {
  const Tensor left = tensor_of(a, "a"), right = tensor_of(b, "b");
  require(left.shape().rank() == 2 && right.shape().rank() == 2 && left.size(1) == right.size(1),
          Code::bad_shape, "similarity: got arrays of shape {} and {}, expected [n, C] and [m, C]",
          left.shape(), right.shape());
  Tensor cosines;
  {
    const WithoutGil computing;
    const NoGrad no_grad;
    cosines = op::matmul(Var(unit_rows(left)), Var(unit_rows(right)), false, true).value();
  }
  return array_of(cosines);
}

}  // namespace

void bind_embedder(nb::module_& module) {
  nb::class_<Embedder>(module, "Embedder")
      .def("__init__", open, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("embed", embed, kCounted, "texts"_a, "prompt"_a, "purpose"_a, "truncate"_a, "batch_tokens"_a,
           "progress"_a.none())
      .def_prop_ro("width", &Embedder::width)
      .def_prop_ro("longest", [](const Embedder& self) { return self.model().longest(); })
      .def_prop_ro(
          "warnings", [](const Embedder& self) { return python_texts(self.model().warnings()); }, kCounted)
      .def_prop_ro(
          "prompts", [](const Embedder& self) { return python_texts(self.prompt_names()); }, kCounted);
  module.def("similarity", similarity, kCounted, "a"_a, "b"_a);
}

}  // namespace locus::python
