// The golden model folders for inference on texts, and the results of transformers for their texts.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <string>

#include "tests/temporary_folder.h"

namespace locus {

inline std::filesystem::path golden_model(const std::string& job) {
  return std::filesystem::path(LOCUS_GOLDEN) / "apply" / job;
}

// A copy of a golden folder that a test may change.
class CopyOf {
 public:
  explicit CopyOf(const std::string& job) {
    std::filesystem::copy(golden_model(job), folder_.path(), std::filesystem::copy_options::recursive);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

class Expected {
 public:
  using Value = simdjson::dom::element;

  explicit Expected(const std::string& job) {
    const std::string file = (golden_model(job) / "expected.json").string();
    EXPECT_EQ(parser_.load(file).get(root_), simdjson::SUCCESS) << file;
  }
  simdjson::dom::array cases() const { return root_["cases"].get_array().value(); }

 private:
  simdjson::dom::parser parser_;
  Value root_;
};

inline std::string text_of(Expected::Value value, const char* name) {
  return std::string(value[name].get_string().value());
}
inline bool has(Expected::Value value, const char* name) {
  return value[name].error() == simdjson::SUCCESS && !value[name].is_null();
}
inline double number_of(Expected::Value value, const char* name) { return value[name].get_double().value(); }
inline uint32_t count_of(Expected::Value value, const char* name) {
  return static_cast<uint32_t>(value[name].get_uint64().value());
}
inline simdjson::dom::array list_of(Expected::Value value) { return value.get_array().value(); }
inline simdjson::dom::array list_of(Expected::Value value, const char* name) {
  return value[name].get_array().value();
}
inline std::vector<float> numbers_of(Expected::Value value, const char* name) {
  std::vector<float> numbers;
  for (const Expected::Value item : list_of(value, name)) {
    numbers.push_back(static_cast<float>(item.get_double().value()));
  }
  return numbers;
}
inline std::vector<std::string> texts_of(const Expected& expected, const char* name = "text") {
  std::vector<std::string> texts;
  for (const Expected::Value value : expected.cases()) texts.push_back(text_of(value, name));
  return texts;
}

// Tolerance for sums of a few dozen f32 products in another order. Scores and coordinates are at most
// about 1.
inline constexpr double kNear = 2e-5;

}  // namespace locus
