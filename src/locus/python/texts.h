// Texts, paths and options of a call as C++ values, with errors that name the argument.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "locus/apply/reading.h"

namespace locus::python {

// UTF-8 of a str. `where` names it in errors. A str with a lone surrogate is an error.
std::string text_of(nanobind::handle value, const std::string& where);
// Of a sequence of str; `name` is the argument.
std::vector<std::string> texts_of(nanobind::handle values, std::string_view name);
// The same for texts that may be pairs: a str or a tuple of two.
std::vector<TextInput> inputs_of(nanobind::handle values, std::string_view name);
// str, bytes or os.PathLike.
std::filesystem::path path_of(nanobind::handle value);
// A str; invalid UTF-8 becomes U+FFFD.
nanobind::str python_text(std::string_view text);
nanobind::list python_texts(const std::vector<std::string>& texts);

DType weights_of(const std::string& dtype);   // "f32" or "bf16"
Device device_of(const std::string& device);  // "cpu" or "cuda"

// Between batches, the call raises KeyboardInterrupt after Ctrl-C, and calls `progress` (None: nothing) with
// the number of texts. `progress` must live as long as the result.
ReadOptions reading_of(bool truncate, int64_t batch_tokens, nanobind::handle progress);

// Offsets in characters of Python instead of bytes.
TextSpan in_characters(std::string_view text, TextSpan bytes);

}  // namespace locus::python
