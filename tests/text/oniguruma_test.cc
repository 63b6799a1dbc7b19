// Expressions as Oniguruma reads them: what the tokenizers package matches.
#include "locus/text/pipeline/oniguruma.h"

#include <gtest/gtest.h>

#include "locus/text/pipeline/pattern.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<std::string> matches(const char* expression, std::string_view text) {
  std::vector<AlignedText::Range> found;
  regex_pattern(from_oniguruma(expression, "here"), "here")->find(text, found);
  std::vector<std::string> words;
  for (const auto& [begin, end] : found) words.emplace_back(text.substr(begin, end - begin));
  return words;
}

TEST(Oniguruma, MatchesTheSame) {
  const struct {
    const char *expression, *text;
    std::vector<std::string> words;
  } cases[] = {
      {R"( ?[^(\s|[.,!?…。，、।۔،])]+)", "ab, (c) d|e[f]。g", {"ab", "c", " d", "e[f]", "g"}},
      {R"([a[bc]-d[-e]]+)", "a-c e-f[]", {"a-c", "e-"}},
      {R"([]a]+)", "]a-", {"]a"}},
      {R"([!-/:-@\[-`{-~]+)", "a_b^c]d\\e!f", {"_", "^", "]", "\\", "!"}},
      {"a{2", "aa{2", {"a{2"}},
      {"a$|^b", "a\nb\nab", {"a", "b"}},
      {"(?m)a.b", "a\nb", {"a\nb"}},
      {"(?i:k)", "kK", {"k", "K"}},
      {R"(\w+)", "x²Ⓐ‿é a\u200db①Ⅷ½", {"x²Ⓐ‿é", "a", "b", "Ⅷ½"}},
      {R"(\W+)", "x², \u200dy", {", \u200d"}},
      {R"([\w']+)", "don't Ⓐ!", {"don't", "Ⓐ"}},
      {R"(\d{1,3}(?=(?:\d{3})*\b))", "1234567 12é 12", {"1", "234", "567", "12"}},
      {R"(a\B.)", "aⒶ a,", {"aⒶ"}},
      {R"(\d{,2})", "12345", {"12", "34", "5"}},
      {R"(\p{L}+|{+)", "ab{{", {"ab", "{{"}},
      {R"(\h+)", "abfgx19", {"abf", "19"}},
      {R"(\p{Han}+)", "天。a", {"天"}},
      {R"(\p{^Hiragana})", "あー", {"ー"}},
      {R"([\p{Arabic}a]+)", "ب،a", {"ب", "a"}},
      {R"([^\w\s])", "m² a", {"²"}},
      {R"(\s+)", "a\u180e \u2028b", {" \u2028"}},
      {R"([\s]|\S)", "\u180e", {"\u180e"}},
      {R"(\v)", "\x0b\n", {"\x0b"}},
      {R"((?=[A-Z]))", "aBC", {"", ""}},
      {"b*", "abb", {"", "bb"}},
      {R"(\H)", "fg", {"g"}},
      {R"([\hx]+)", "abfgx19", {"abf", "x19"}},
      {R"([\u4e00-\u9fff]+|\u0062)", "狗ab", {"狗", "b"}},
  };
  for (const auto& [expression, text, words] : cases) {
    EXPECT_EQ(matches(expression, text), words) << expression;
  }
}

TEST(Oniguruma, WhatItCannotSayIsNamed) {
  const auto refused = [](const char* expression, const char* what) {
    expect_error(Fault::data, {"here has", what}, [&] { from_oniguruma(expression, "here"); });
  };
  refused("x[[:alpha:]]", "a POSIX class at byte 2, which Locus does not read");
  refused("[a-z&&[aeiou]]", "&& at byte 4");
  refused("[a[^b]]", "a class without characters in a class at byte 2");
  refused(R"([\W_])", R"(\W in a class at byte 1)");
  refused(R"(\p{N}{1,3}+)", "an interval with a + at byte 5");
  refused("a\\u12", "a \\u without four digits at byte 1");
  refused("ba{2}?", "an interval of one number with a ? at byte 2");
  refused(R"(a\pL)", R"(\p without braces at byte 1)");
  refused(R"(\Qa\E)", R"(\Q without braces at byte 0)");
  refused("a(?i)b|c", "options for what follows at byte 4");
  EXPECT_EQ(matches("(?i)a|b", "AB"), (std::vector<std::string>{"A", "B"}));
}

// Not closed, or cut in an escape: PCRE2 names the place.
TEST(Oniguruma, BrokenExpressionsDoNotCompile) {
  for (const char* expression : {"[", "[a[b]", "[^", "\\", "[\\", "\\p{L", "(?"}) {
    SCOPED_TRACE(expression);
    expect_error(Fault::data, {"here does not compile: "}, [&] { matches(expression, "abc"); });
  }
}

}  // namespace
}  // namespace locus
