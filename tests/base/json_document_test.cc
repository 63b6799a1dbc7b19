#include "locus/base/json_document.h"

#include <gtest/gtest.h>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "tests/temporary_folder.h"

namespace locus::json {
namespace {

std::string error_of(const std::string& text, size_t depth = 1024) {
  try {
    static_cast<void>(Document(text, "the text", depth).object());
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::data) << error.what();
    return error.what();
  }
  return "none";
}

TEST(JsonDocument, HasValuesOfEveryType) {
  const Document document(R"({"null": null, "flag": true, "whole": -7, "big": 18446744073709551615,
                              "number": 2.5, "text": "a\u00e9\n", "list": [1, "b", []], "object": {"x": 1}})",
                          "here");
  const Object all = document.object();
  EXPECT_TRUE(all.find("null")->is_null());
  EXPECT_EQ(all.find("flag")->flag(), true);
  EXPECT_EQ(all.find("whole")->integer(), -7);
  EXPECT_EQ(all.find("whole")->number(), -7.0);
  EXPECT_EQ(all.find("whole")->unsigned_integer(), std::nullopt);
  EXPECT_EQ(all.find("big")->unsigned_integer(), ~uint64_t{0});
  EXPECT_EQ(all.find("big")->integer(), std::nullopt);
  EXPECT_EQ(all.find("number")->number(), 2.5);
  EXPECT_EQ(all.find("number")->integer(), std::nullopt);
  EXPECT_EQ(all.find("text")->text(), "a\u00e9\n");
  EXPECT_EQ(all.find("text")->number(), std::nullopt);
  const List list = *all.find("list")->list();
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].text(), "b");
  EXPECT_EQ(list[2].list()->size(), 0u);
  EXPECT_EQ(all.find("list")->print(), R"([1,"b",[]])");
  EXPECT_EQ(all.find("object")->object()->size(), 1u);
  EXPECT_EQ(all.find("nothing"), std::nullopt);
  EXPECT_EQ(all.size(), 8u);
}

TEST(JsonDocument, TheLastOfEqualNamesCounts) {
  const Document document(R"({"a": 1, "b": 2, "a": 3})", "here");
  EXPECT_EQ(document.member("a").integer(), 3);
  EXPECT_EQ(document.object().size(), 3u);
}

TEST(JsonDocument, IntegersOfAnyLengthAreNumbers) {
  const Document document(
      R"({"a": 1000000000000000019884624838656, "b": [-99999999999999999999], "c": "18446744073709551616",
          "d": 0.12345678901234567890123, "e": 1e0000000000000000000002, "f": "\"18446744073709551616",
          "g": 2E-0000000000000000000001, "h": 3E+00000000000000000000001, "i": 99999999999999999999e1})",
      "here");
  EXPECT_EQ(document.member("a").number(), 1e30);
  EXPECT_EQ(document.member("a").integer(), std::nullopt);
  EXPECT_EQ((*document.member("b").list())[0].number(), -1e20);
  EXPECT_EQ(document.member("c").text(), "18446744073709551616");
  EXPECT_EQ(document.member("d").number(), 0.12345678901234567890123);
  EXPECT_EQ(document.member("e").number(), 100);
  EXPECT_EQ(document.member("f").text(), "\"18446744073709551616");
  EXPECT_EQ(document.member("g").number(), 0.2);
  EXPECT_EQ(document.member("h").number(), 30);
  EXPECT_EQ(document.member("i").number(), 1e21);
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "{}}", "{} x", "[1 2]", "{\"a\" 1}", "{'a': 1}", "nul", "01",
                           "1e400", "\"\\ud800\"", "\"\xff\"", "\xef\xbb\xbf{}x"}) {
    EXPECT_NE(error_of(text).find("the text: invalid JSON"), std::string::npos)
        << text << ": " << error_of(text);
  }
  EXPECT_NE(error_of("[]").find("expected a JSON object"), std::string::npos);
}

TEST(JsonDocument, RefusesTooDeepNesting) {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(64), 64), "none");
  EXPECT_NE(error_of(nested(66), 64).find("at most 64 levels"), std::string::npos);
  EXPECT_NE(error_of(nested(1'000'000)).find("levels"), std::string::npos);
}

TEST(JsonDocument, ErrorsNameTheFileTheMemberAndTheValue) {
  const TemporaryFolder folder;
  write_file(folder / "x.json", R"({"name": 5})");
  const Document document(folder / "x.json");
  const auto fails = [](const auto& f, const std::vector<std::string>& words) {
    try {
      f();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      for (const std::string& word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
  };
  fails([&] { document.text("name"); }, {"x.json", "'name'", "5", "a string"});
  fails([&] { document.member("other"); }, {"x.json", "'other'", "missing"});
  fails([&] { Document(folder / "x.json", {.bytes = 4}); }, {"x.json"});
}

TEST(JsonDocument, KeepsItsValuesWhenItIsMoved) {
  Document first(R"({"a": "text"})", "here");
  const Value value = first.member("a");
  const Document second(std::move(first));
  EXPECT_EQ(value.text(), "text");
  EXPECT_EQ(second.text("a"), "text");
}

// A list has 2^24 elements or more.
TEST(JsonDocument, CountsLongLists) {
  constexpr size_t kCount = (1 << 24) + 3;
  std::string text = "{\"a\":[";
  for (size_t i = 0; i < kCount; ++i) text += "1,";
  text += "1]}";
  EXPECT_EQ(Document(text, "here").member("a").list()->size(), kCount + 1);
}

}  // namespace
}  // namespace locus::json
