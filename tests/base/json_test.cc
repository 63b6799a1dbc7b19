#include "locus/base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <simdjson.h>

#include <limits>

namespace locus {
namespace {

TEST(Json, WritesValues) {
  EXPECT_EQ(json::text("a \"b\" \\ \n"), R"("a \"b\" \\ \n")");
  EXPECT_EQ(json::text("\x01"), R"("\u0001")");
  EXPECT_EQ(json::text("\u2212"), "\"\u2212\"");
  EXPECT_EQ(json::number(0.1), "0.1");
  EXPECT_EQ(json::number(int64_t{1} << 60), "1152921504606846976");
  EXPECT_EQ(json::number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json::number(1e39), "null");
  EXPECT_EQ(json::number(1.0 / 3), "0.33333334");
  EXPECT_EQ(json::exact(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(json::exact(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json::boolean(true), "true");
}

TEST(Json, WritesListsAndObjects) {
  const double numbers[] = {1, 2.5};
  const std::string_view texts[] = {"a", "b"};
  EXPECT_EQ(json::numbers(numbers), "[1, 2.5]");
  EXPECT_EQ(json::texts(texts), R"(["a", "b"])");
  EXPECT_EQ(json::object({{"x", "1"}, {"y", json::list({})}}), R"({"x": 1, "y": []})");
  EXPECT_EQ(json::lines({{"x", "1"}, {"y", "2"}}), "{\n  \"x\": 1,\n  \"y\": 2\n}\n");
}

TEST(Json, TextReadsBack) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
    simdjson::dom::parser parser;
    const std::string_view read = parser.parse(json::text(text)).get_string();
    RC_ASSERT(read == text);
  }));
}

}  // namespace
}  // namespace locus
