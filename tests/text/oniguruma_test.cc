// Regular expressions with the semantics of Oniguruma, compared with the matches of the tokenizers package.
#include "locus/text/pipeline/oniguruma.h"

#include <gtest/gtest.h>

#include "locus/text/pipeline/pattern.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

std::vector<std::string> matches(const char* expression, std::string_view text) {
  std::vector<AlignedText::Range> found;
  TextBudget budget(text.size());
  regex_pattern(from_oniguruma(expression, "here"), "here")->find(text, budget, found);
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
      {R"([\w-]+)", "a-b² ½c", {"a-b", "c"}},
      {R"([[\w]x]+)", "a¹b", {"a", "b"}},
      {R"(\V|a\x)", "aVax", {"V", "ax"}},
      {R"(\x41|\x{42})", "aAB", {"A", "B"}},
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

TEST(Oniguruma, UnsupportedSyntaxIsNamed) {
  const auto refused = [](const char* expression, const char* what, const char* place) {
    expect_error(Fault::data, Code::unsupported_field, {"here", what, place},
                 [&] { from_oniguruma(expression, "here"); });
  };
  refused("x[[:alpha:]]", "POSIX", "byte 2");
  refused("[a-z&&[aeiou]]", "&&", "byte 4");
  refused("[a[^b]]", "class", "byte 2");
  refused(R"([\W_])", R"(\W)", "byte 1");
  refused(R"(\p{N}{1,3}+)", "+", "byte 5");
  refused("a\\u12", "\\u", "byte 1");
  refused("ba{2}?", "?", "byte 2");
  refused(R"(a\pL)", R"(\p)", "byte 1");
  refused(R"(\Qa\E)", R"(\Q)", "byte 0");
  refused(R"(a\X)", R"(\X)", "byte 1");
  refused("a(?i)b|c", "options", "byte 4");
  EXPECT_EQ(matches("(?i)a|b", "AB"), (std::vector<std::string>{"A", "B"}));
}

// Not closed, or truncated in an escape: PCRE2 reports the error.
TEST(Oniguruma, InvalidExpressionsAreErrors) {
  for (const char* expression : {"[", "[a[b]", "[^", "\\", "[\\", "\\p{L", "(?"}) {
    SCOPED_TRACE(expression);
    expect_error(Fault::data, {"here"}, [&] { matches(expression, "abc"); });
  }
}

}  // namespace
}  // namespace locus
