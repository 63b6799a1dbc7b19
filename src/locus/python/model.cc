// Whole models: hidden states and logits of token ids, saving, and longer contexts.
#include <nanobind/stl/string.h>

#include <utility>

#include "locus/checkpoint/forward.h"
#include "locus/checkpoint/stretch.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"
#include "locus/python/texts.h"
#include "locus/run/saved_run.h"
#include "locus/run/trained_model.h"
#include "locus/train/export_run.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace locus::python {
namespace {

void open(TrainedModel* self, nb::handle folder, const std::string& dtype, const std::string& device) {
  const std::filesystem::path path = path_of(folder);
  const DType weights = weights_of(dtype);
  const Device place = device_of(device);
  const WithoutGil computing;
  new (self) TrainedModel(path, {.weights = weights, .device = place, .for_text = false});
}

// An input of forward(): integers, or numbers for labels of a regression.
Tensor input_of(nb::handle value, std::string_view name) {
  if (value.is_none()) return {};
  Array array;
  require(nb::try_cast(value, array), Code::bad_shape, "{}: got no array in CPU memory, expected one", name);
  const Shape shape = shape_of_array(array, name);
  if (is_float(dtype_of_array(array, name))) return tensor_of(array, name).clone();
  return Tensor::of(shape, std::span<const int32_t>(integers_of(array, name)));
}

// By the names of transformers: last_hidden_state, logits, loss, grad.NAME.
nb::dict run(TrainedModel& self, nb::handle ids, nb::handle mask, nb::handle segments, nb::handle positions,
             nb::handle decoder_ids, nb::handle labels, bool gradients) {
  const ForwardInputs inputs = {.input_ids = input_of(ids, "ids"),
                                .attention_mask = input_of(mask, "mask"),
                                .token_type_ids = input_of(segments, "segments"),
                                .position_ids = input_of(positions, "positions"),
                                .decoder_input_ids = input_of(decoder_ids, "decoder_ids"),
                                .labels = input_of(labels, "labels")};
  require(static_cast<bool>(inputs.input_ids) && inputs.input_ids.shape().rank() == 2 &&
              inputs.input_ids.dtype() == DType::i32,
          Code::bad_shape, "ids: got shape {}, expected integers of shape [B, T]", inputs.input_ids.shape());
  std::vector<NamedTensor> outputs;
  {
    const WithoutGil computing;
    outputs = forward(forward_model(self), inputs, gradients);
  }
  nb::dict result;
  for (const auto& [name, tensor] : outputs) result[name.c_str()] = array_of(tensor);
  return result;
}

void save(const TrainedModel& self, nb::handle folder) {
  const std::filesystem::path to = path_of(folder);
  const WithoutGil computing;
  if (self.hub() != nullptr) return save_model(*self.hub(), to);
  export_run(load_run(self.folder()), to);
}

constexpr std::pair<std::string_view, Stretch> kMethods[] = {{"interpolate", Stretch::interpolate},
                                                             {"repeat", Stretch::repeat},
                                                             {"linear", Stretch::linear},
                                                             {"ntk", Stretch::ntk},
                                                             {"yarn", Stretch::yarn}};

std::pair<int64_t, int64_t> stretch(const TrainedModel& self, int64_t length, const std::string& method,
                                    nb::handle folder) {
  const std::filesystem::path to = path_of(folder);
  const auto* const found = std::ranges::find(kMethods, method, &std::pair<std::string_view, Stretch>::first);
  if (found == std::end(kMethods)) {
    fail(Fault::usage, "stretch: got method '{}', expected interpolate, repeat, linear, ntk or yarn", method);
  }
  const WithoutGil computing;
  Stretched done;
  if (self.hub() != nullptr) {
    done = stretch_model(*self.hub(), length, found->second, to);
  } else {
    const TemporaryExport exported(load_run(self.folder()), to);
    done = stretch_model(open_model(exported.path()), length, found->second, to);
  }
  return {done.from, done.to};
}

nb::dict facts(const TrainedModel& self) {
  const Blueprint& b = self.blueprint();
  constexpr const char* kKinds[] = {"encoder", "decoder", "encoder_decoder"};
  nb::dict found;
  found["kind"] = b.kind == ModelKind::encoder   ? kKinds[0]
                  : b.kind == ModelKind::decoder ? kKinds[1]
                                                 : kKinds[2];
  found["scheme"] = b.scheme;
  found["vocabulary"] = b.vocabulary;
  found["width"] = b.width;
  found["heads"] = b.attention.heads;
  found["layers"] = b.layers;
  found["max_length"] = b.max_length;
  found["parameters"] = self.model().parameters().numel();
  return found;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<TrainedModel>(module, "Model")
      .def("__init__", open, kCounted, "folder"_a, "dtype"_a, "device"_a)
      .def("run", run, kCounted, "ids"_a, "mask"_a.none(), "segments"_a.none(), "positions"_a.none(),
           "decoder_ids"_a.none(), "labels"_a.none(), "gradients"_a)
      .def("save", save, kCounted, "folder"_a)
      .def(
          "stretch",
          [](const TrainedModel& self, int64_t length, const std::string& method, nb::handle folder) {
            const auto [from, to] = stretch(self, length, method, folder);
            return nb::make_tuple(from, to);
          },
          kCounted, "length"_a, "method"_a, "folder"_a)
      .def_prop_ro("facts", facts, kCounted)
      .def_prop_ro(
          "warnings", [](const TrainedModel& self) { return python_texts(self.warnings()); }, kCounted);
}

}  // namespace locus::python
