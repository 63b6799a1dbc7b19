// Translates locus::Error into the exceptions of python/locus/errors.py, which are also ValueError, OSError
// or MemoryError.
#include <string>

#include "locus/base/error.h"
#include "locus/python/bindings.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

nb::str python_text(const std::string& text) {
  // A message can quote bytes of a damaged file.
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

const char* class_of(const Error& error) {
  switch (error.fault()) {
    case Fault::usage:
    case Fault::data:
      return error.code() == Code::missing_file ? "MissingFileError" : "DataError";
    case Fault::io:
      return error.code() == Code::missing_file ? "MissingFileError" : "FileError";
    case Fault::resource:
      return error.code() == Code::no_gpu ? "Error" : "ResourceError";
    case Fault::diverged:
      return "DivergedError";
    case Fault::bug:
    case Fault::peer:
      return "Error";
  }
  return "Error";
}

constexpr const char* fault_name(Fault fault) {
  switch (fault) {
    case Fault::bug:
      return "bug";
    case Fault::usage:
      return "usage";
    case Fault::data:
      return "data";
    case Fault::io:
      return "io";
    case Fault::resource:
      return "resource";
    case Fault::diverged:
      return "diverged";
    case Fault::peer:
      return "peer";
  }
  return "bug";
}

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("locus.errors").attr(class_of(error));
  nb::list values;
  for (const std::string& value : error.values()) values.append(python_text(value));
  const std::string code(name_of(error.code()));
  const nb::object instance = type(python_text(error.message()), fault_name(error.fault()), code.c_str(),
                                   values, python_text(error.hint()));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    try {
      raise(error);
    } catch (nb::python_error& failure) {  // for example MemoryError
      failure.restore();
    }
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace locus::python
