// Hand-made safetensors files for the tests, right and wrong ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "locus/base/error.h"
#include "locus/checkpoint/safetensors.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus {

inline std::string length_bytes(uint64_t length) {
  return std::string(reinterpret_cast<const char*>(&length), sizeof length);
}

inline std::string file_bytes(const std::string& header, const std::string& data = {}) {
  return length_bytes(header.size()) + header + data;
}

// The header of one tensor called `a`.
inline std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

// The call must fail as bad data with this text in it.
template <class F>
void expect_bad_data(const std::string& text, F&& call) {
  expect_error(Fault::data, {text.c_str()}, call);
}

// Opening a file of these bytes must be refused in words that begin with the file's quoted name and go on
// with `text`.
inline void expect_refused(const std::string& bytes, const std::string& text) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "bad.safetensors";
  put(path, bytes);
  expect_bad_data("'" + path.string() + "': " + text, [&] { SafetensorsFile file(path); });
}

// The same for text that is no JSON; why not is said in simdjson's words, which are its own to change.
inline void expect_not_json(const std::string& bytes, const std::string& place) {
  expect_refused(bytes, "the header is not valid JSON " + place + ": ");
}

inline void expect_accepted(const std::string& bytes) {
  const TemporaryFolder folder;
  put(folder / "good.safetensors", bytes);
  EXPECT_NO_THROW(SafetensorsFile(folder / "good.safetensors"));
}

}  // namespace locus
