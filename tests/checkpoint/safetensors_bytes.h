// Handmade safetensors files for the tests, valid and invalid ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

using Values = std::vector<std::string>;

// The call must fail with Fault::data, with this code, and name all of these values.
template <class F>
void expect_bad_data(Code code, const Values& values, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::data) << error.what();
    EXPECT_EQ(name_of(error.code()), name_of(code)) << error.what();
    for (const std::string& value : values) expect_named(error, {value.c_str()});
    return;
  }
  ADD_FAILURE() << "no error; expected " << name_of(code);
}
template <class F>
void expect_bad_data(const Values& values, F&& call) {
  expect_bad_data(Code::none, values, call);
}

// Opening a file of these bytes must fail with Code::damaged_file; the error names the file and these values.
inline void expect_refused(const std::string& bytes, Values values) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "bad.safetensors";
  put(path, bytes);
  values.push_back("'" + path.string() + "'");
  expect_bad_data(Code::damaged_file, values, [&] { SafetensorsFile file(path); });
}

// The same for a header that is not JSON.
inline void expect_not_json(const std::string& bytes) { expect_refused(bytes, {"header", "invalid JSON"}); }

inline void expect_accepted(const std::string& bytes) {
  const TemporaryFolder folder;
  put(folder / "good.safetensors", bytes);
  EXPECT_NO_THROW(SafetensorsFile(folder / "good.safetensors"));
}

}  // namespace locus
