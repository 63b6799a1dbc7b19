#include "locus/python/texts.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "locus/python/computing.h"
#include "locus/text/readable.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

std::string class_of(nb::handle value) {
  return nb::cast<std::string>(nb::str(value.type().attr("__name__")));
}

// `where` is called for an error only: naming every text would take longer than reading it.
template <class Where>
std::string read_text(nb::handle value, Where where) {
  if (!PyUnicode_Check(value.ptr())) {
    fail({Fault::data, Code::bad_shape}, "{}: got {}, expected str", where(), class_of(value));
  }
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    fail(Fault::data, "{}: the str contains a lone surrogate, expected valid Unicode", where());
  }
  return std::string(bytes, static_cast<size_t>(size));
}

// Calls f(item, where) for every item of a list or tuple; where() is "name[i]".
template <class F>
void each_item(nb::handle values, std::string_view name, F&& f) {
  if (PyUnicode_Check(values.ptr()) || PyBytes_Check(values.ptr()) || PySequence_Check(values.ptr()) == 0) {
    fail({Fault::data, Code::bad_shape}, "{}: got {}, expected a list of str", name, class_of(values));
  }
  const Py_ssize_t count = PySequence_Size(values.ptr());
  if (count < 0) throw nb::python_error();
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(values.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    f(item, [&] { return fmt::format("{}[{}]", name, i); });
  }
}

}  // namespace

std::string text_of(nb::handle value, const std::string& where) {
  return read_text(value, [&] { return where; });
}

std::vector<std::string> texts_of(nb::handle values, std::string_view name) {
  std::vector<std::string> texts;
  each_item(values, name,
            [&](nb::handle item, const auto& where) { texts.push_back(read_text(item, where)); });
  return texts;
}

std::vector<TextInput> inputs_of(nb::handle values, std::string_view name) {
  std::vector<TextInput> inputs;
  each_item(values, name, [&](nb::handle item, const auto& where) {
    if (PyUnicode_Check(item.ptr())) return inputs.push_back({read_text(item, where)});
    const std::vector<std::string> pair = texts_of(item, where());
    require(pair.size() == 2, Code::bad_shape, "{}: got {} texts, expected str or a pair of str", where(),
            pair.size());
    inputs.push_back({pair[0], pair[1]});
  });
  return inputs;
}

std::filesystem::path path_of(nb::handle value) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(value.ptr(), &bytes) == 0) throw nb::python_error();
  const nb::bytes path = nb::steal<nb::bytes>(bytes);
  return std::string(path.c_str(), path.size());
}

nb::str python_text(std::string_view text) {
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (object == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(object);
}

nb::list python_texts(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(python_text(text));
  return list;
}

DType weights_of(const std::string& dtype) {
  if (dtype == "f32" || dtype == "float32") return DType::f32;
  if (dtype == "bf16" || dtype == "bfloat16") return DType::bf16;
  fail(Fault::usage, "dtype: got '{}', expected f32 or bf16", readable(dtype));
}

Device device_of(const std::string& device) {
  if (device == name_of(Device::cpu)) return Device::cpu;
  if (device == name_of(Device::cuda)) return Device::cuda;
  fail(Fault::usage, "device: got '{}', expected cpu or cuda", readable(device));
}

ReadOptions reading_of(bool truncate, int64_t batch_tokens, nb::handle progress) {
  require(batch_tokens >= 1, "batch_tokens: got {}, expected at least 1", batch_tokens);
  ReadOptions options{.truncate = truncate, .batch_tokens = batch_tokens};
  options.on_batch = [progress](size_t count) {
    const WithGil gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(count);
  };
  return options;
}

TextSpan in_characters(std::string_view text, TextSpan bytes) {
  std::vector<TextSpan> one = {bytes};
  count_in_code_points(text, one);
  return one[0];
}

}  // namespace locus::python
