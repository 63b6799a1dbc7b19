// The objects of JSON Lines input, one or two texts each.
#include "locus/apply/text_object.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"

namespace locus {
namespace {

constexpr TextMembers kPair = {.first = "question", .second = "context", .both = true};

void expect_refused(const std::string& json, const TextMembers& members,
                    std::initializer_list<const char*> values, Code code = Code::none) {
  expect_error(Fault::data, code, {"line 7"}, [&] { read_text_object(json, "line 7", members); });
  expect_error(Fault::data, code, values, [&] { read_text_object(json, "line 7", members); });
}

TEST(TextObject, HasOneOrTwoTexts) {
  const TextInput one = read_text_object(R"({"id": 1, "text": "a\u00e9", "other": null})", "here", {});
  EXPECT_EQ(one.text, "a\u00e9");
  EXPECT_EQ(one.second, std::nullopt);
  EXPECT_EQ(read_text_object(R"({"context": "", "question": "b"})", "here", kPair).second, "");
  EXPECT_EQ(read_text_object(R"({"text": "a"})", "here", {.second = "text_pair"}).second, std::nullopt);
}

TEST(TextObject, AMissingTextIsAnError) {
  expect_refused("{}", {}, {"'text'", "missing"});
  expect_refused(R"({"Text": "a", "text ": "b"})", {}, {"'text'", "missing"});
  expect_refused(R"({"question": "a"})", kPair, {"'context'", "missing"});
  expect_refused(R"({"context": "a"})", kPair, {"'question'", "missing"});
}

TEST(TextObject, ATextThatIsNoStringIsAnError) {
  for (const char* value : {"null", "true", "3", "[]", "{}"}) {
    const std::string text = value;
    expect_refused("{\"text\": " + text + "}", {}, {"'text'", ("'" + text + "'").c_str(), "string"});
    expect_refused("{\"question\": \"a\", \"context\": " + text + "}", kPair, {"'context'", "string"});
  }
}

TEST(TextObject, AnOptionalTextThatIsNoStringIsAnError) {
  for (const char* value : {"null", "7", "[\"a\"]"}) {
    expect_refused("{\"text\": \"a\", \"text_pair\": " + std::string(value) + "}", {.second = "text_pair"},
                   {"'text_pair'", "string"});
  }
}

TEST(TextObject, TheLastOfTwoMembersCounts) {
  EXPECT_EQ(read_text_object(R"({"text": 3, "text": "a"})", "here", {}).text, "a");
  expect_refused(R"({"text": "a", "text": 3})", {}, {"'text'", "'3'"});
}

TEST(TextObject, OtherValuesThanObjectsAreErrors) {
  for (const char* value : {"null", "[]", "[{\"text\": \"a\"}]", "\"text\"", "0"}) {
    expect_refused(value, {}, {"object"}, Code::damaged_file);
  }
}

TEST(TextObject, InvalidJsonIsAnError) {
  for (const std::string json : {"", " ", "{", "{\"text\"", "{\"text\": \"a\"", "{\"text\": \"a\"}}",
                                 "{\"text\": \"a\",}", "{\"text\": \"\\ud800\"}", "{\"text\": \"\x01\"}",
                                 "{\"text\": \"\xff\"}", "{\"text\": \"a\"} // x"}) {
    expect_refused(json, {}, {"JSON"}, Code::damaged_file);
  }
}

TEST(TextObject, DeepNestingIsAnError) {
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  expect_refused("{\"x\": " + deep + "}", {}, {"1024"}, Code::damaged_file);
}

}  // namespace
}  // namespace locus
