// Invalid headers: wrong lengths, text, JSON or fields. Every error names what is wrong.
#include <gtest/gtest.h>

#include "locus/checkpoint/safetensors_header.h"
#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/least_seconds.h"

namespace locus {
namespace {

TEST(SafetensorsHeader, FileShorterThanItsLength) {
  for (size_t size = 0; size < 8; ++size) {
    expect_refused(std::string(size, '\0'), {fmt::format("{} bytes", size), "8"});
  }
}

TEST(SafetensorsHeader, LengthZero) {
  expect_refused(file_bytes(""), {"''", "JSON object"});
  expect_refused(file_bytes("   "), {"'   '", "JSON object"});
}

TEST(SafetensorsHeader, LengthPastTheFormatsLimit) {
  for (const uint64_t length : {uint64_t{100'000'001}, uint64_t{1} << 63, ~uint64_t{0}}) {
    expect_refused(length_bytes(length) + "{}", {fmt::format("{}", length), "100000000"});
  }
}

TEST(SafetensorsHeader, LengthPastTheFile) { expect_refused(length_bytes(3) + "{}", {"3", "2 bytes"}); }

TEST(SafetensorsHeader, NotUtf8) { expect_not_json(file_bytes("{\"\xff\":1}")); }

TEST(SafetensorsHeader, ByteOrderMark) {
  expect_refused(file_bytes("\xef\xbb\xbf{}"), {"'\xef\xbb\xbf{}'", "JSON object"});
}

TEST(SafetensorsHeader, ArrayOrScalar) {
  for (const char* text : {"[]", "[1]", "1", "\"a\"", "null", "true"}) {
    expect_refused(file_bytes(text), {fmt::format("'{}'", text), "JSON object"});
  }
}

TEST(SafetensorsHeader, TextAfterTheObject) {
  expect_not_json(file_bytes(std::string("{}\0\0", 4)));
  expect_not_json(file_bytes("{} x"));
  expect_not_json(file_bytes("{}{}"));
}

TEST(SafetensorsHeader, JsonSpaceAroundTheObjectIsFine) { expect_accepted(file_bytes(" \t\r\n{} \t\r\n")); }

TEST(SafetensorsHeader, BrokenJson) {
  expect_not_json(file_bytes(R"({"a" {}})"));
  expect_not_json(file_bytes(R"({"a":{"dtype":"F32" "shape":[]}})"));
  expect_not_json(file_bytes(R"({"a":{"dtype":"F32","shape":[1 2]}})"));
  expect_not_json(file_bytes(R"({"a":{"dtype":"F32)"));
}

TEST(SafetensorsHeader, LoneSurrogate) {
  expect_not_json(file_bytes(R"({"\ud800":1})"));
  expect_not_json(file_bytes(R"({"\udc00":1})"));
}

TEST(SafetensorsHeader, NestingAMillionDeep) {
  const std::string opens(1'000'000, '['), closes(1'000'000, ']');
  expect_refused(file_bytes(opens + closes), {"'[[[[[[[[[[[[[[[['", "JSON object"});
  expect_refused(file_bytes(R"({"a":)" + opens + closes + "}"), {"127"});
  expect_refused(file_bytes(R"({"a":{"x":)" + opens + closes + "}}"), {"127"});
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += R"({"x":)";
  expect_refused(file_bytes(R"({"a":)" + objects + "1" + std::string(1'000'001, '}') + "}"), {"127"});
}

TEST(SafetensorsHeader, UnknownFieldsAreCheckedAndIgnored) {
  const std::string rest = R"("dtype":"U8","shape":[],"data_offsets":[0,1]}})";
  for (const std::string value : {R"("t\u00e9xt")", "-0", "1e5", "99999999999999999999999", "null", "true",
                                  "[]", "{}", R"([1,{"b":[2,{}]},[]])"}) {
    expect_accepted(file_bytes(R"({"a":{"x":)" + value + "," + rest, "1"));
  }
  const std::string deepest = std::string(125, '[') + std::string(125, ']');
  expect_accepted(file_bytes(R"({"a":{"x":)" + deepest + "," + rest, "1"));
  for (const std::string value : {"1e400", "01", "nul", "[1 2]", "[}", R"({"b"})", R"({"b":"\ud800"})"}) {
    expect_not_json(file_bytes(R"({"a":{"x":)" + value + "," + rest, "1"));
  }
}

TEST(SafetensorsHeader, DuplicateNames) {
  const std::string tensor = R"({"dtype":"U8","shape":[],"data_offsets":[0,1]})";
  expect_refused(file_bytes(R"({"a":)" + tensor + R"(,"a":)" + tensor + "}", "1"), {"tensor 'a'", "twice"});
  expect_refused(file_bytes(R"({"a":)" + tensor + R"(,"\u0061":)" + tensor + "}", "1"),
                 {"tensor 'a'", "twice"});
  expect_refused(file_bytes(R"({"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", "1"),
                 {"tensor 'a'", "dtype", "twice"});
  expect_refused(file_bytes(R"({"__metadata__":{},"__metadata__":{}})"), {"'__metadata__'", "twice"});
}

TEST(SafetensorsHeader, UnknownDtype) {
  const std::string known =
      "BOOL, F4, F6_E2M3, F6_E3M2, U8, I8, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ, "
      "F8_E5M2FNUZ, "
      "I16, U16, F16, BF16, I32, U32, F32, C64, F64, I64, U64";
  expect_refused(file_bytes(one(R"("F99")", "[1]", "[0,4]"), "1234"),
                 {"tensor 'a'", "dtype", "'F99'", known});
  expect_refused(file_bytes(one(R"("f32")", "[1]", "[0,4]"), "1234"),
                 {"tensor 'a'", "dtype", "'f32'", known});
}

TEST(SafetensorsHeader, MissingField) {
  const std::string all = "dtype, shape and data_offsets";
  expect_refused(file_bytes(R"({"a":{"shape":[],"data_offsets":[0,1]}})", "1"), {"tensor 'a': dtype", all});
  expect_refused(file_bytes(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "1"), {"tensor 'a': shape", all});
  expect_refused(file_bytes(R"({"a":{"dtype":"U8","shape":[]}})", "1"), {"tensor 'a': data_offsets", all});
}

TEST(SafetensorsHeader, WrongJsonType) {
  expect_refused(file_bytes(R"({"a":null})"), {"tensor 'a'", "'null'", "dtype", "shape", "data_offsets"});
  expect_refused(file_bytes(one("5", "[1]", "[0,4]"), "1234"), {"tensor 'a'", "dtype", "'5'", "string"});
  expect_refused(file_bytes(one(R"("F32")", "1", "[0,4]"), "1234"), {"tensor 'a'", "shape", "'1'", "array"});
  expect_refused(file_bytes(one(R"("F32")", R"(["1"])", "[0,4]"), "1234"),
                 {"tensor 'a'", "shape[0]", R"('"1"')", "0", "2^64-1"});
  expect_refused(file_bytes(one(R"("F32")", "[1]", "{}"), "1234"),
                 {"tensor 'a'", "data_offsets", "'{}'", "array"});
  expect_refused(file_bytes(one(R"("F32")", "[1]", "[0,4,8]"), "1234"),
                 {"tensor 'a'", "data_offsets", "3", "2"});
  expect_refused(file_bytes(R"({"__metadata__":[]})"), {"__metadata__", "'[]'", "object"});
  expect_refused(file_bytes(R"({"__metadata__":{"k":1}})"), {"__metadata__", "'k'", "'1'", "string"});
}

TEST(SafetensorsHeader, SizesThatAreNoSizes) {
  // Integers beyond 64 bits are read as numbers with a fraction.
  for (const auto& [size, shown] :
       std::map<std::string, std::string>{{"1.5", "1.5"},
                                          {"1e0", "1.0"},
                                          {"-1", "-1"},
                                          {"18446744073709551616", "1.8446744073709552e+19"}}) {
    expect_refused(file_bytes(one(R"("F32")", fmt::format("[2, {}]", size), "[0,4]"), "1234"),
                   {"tensor 'a'", "shape[1]", fmt::format("'{}'", shown), "0", "2^64-1"});
    expect_refused(file_bytes(one(R"("F32")", "[1]", fmt::format("[0, {}]", size)), "1234"),
                   {"tensor 'a'", "data_offsets[1]", fmt::format("'{}'", shown), "0", "2^64-1"});
  }
}

TEST(SafetensorsHeader, MetadataIsStrings) {
  const TemporaryFolder folder;
  put(folder / "x", file_bytes(R"({"__metadata__":{"format":"pt","k":"\u0000\n"}})"));
  const SafetensorsFile file(folder / "x");
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}, {"k", {'\0', '\n'}}}));
  expect_accepted(file_bytes(R"({"__metadata__":null})"));
}

// The names are neither sorted nor in the order of the bytes.
std::string many_tensors(int64_t count) {
  std::string header = "{";
  for (int64_t i = 0; i < count; ++i) {
    header += fmt::format(R"({}"layer.0.w{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                          i == 0 ? "" : ",", i * 7919 % 1'000'003, i, i + 1);
  }
  return file_bytes(header + "}", std::string(static_cast<size_t>(count), 'x'));
}

TEST(SafetensorsHeader, AMillionTensors) {
  const TemporaryFolder folder;
  put(folder / "x", many_tensors(1'000'000));
  const SafetensorsFile file(folder / "x");
  EXPECT_EQ(file.entries().size(), 1'000'000u);
  EXPECT_TRUE(file.has("layer.0.w7919"));
  EXPECT_FALSE(file.has("layer.0.w"));
}

// 16 times as many tensors take about 16 times as long, and more if they no longer fit into the caches.
// Quadratic work would take 256 times as long.
TEST(SafetensorsHeaderSlow, TimeGrowsWithTheTensors) {
  const TemporaryFolder folder;
  const auto seconds = [&](int64_t count) {
    put(folder / "x", many_tensors(count));
    return least_seconds([&] { EXPECT_EQ(SafetensorsFile(folder / "x").entries().size(), count); });
  };
  const double one = seconds(1 << 12), many = seconds(1 << 16);
  EXPECT_LT(many, 64 * one + 0.01);
}

}  // namespace
}  // namespace locus
