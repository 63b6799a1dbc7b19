// The escapes of a string literal, which are those of Python.
#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/text/chat_template/lexer.h"
#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

// The code point of `digits` hexadecimal digits at `at`.
int32_t code_at(std::string_view literal, size_t at, size_t digits) {
  const std::string_view text = literal.substr(std::min(at, literal.size()), digits);
  const auto code = locus::parse<int64_t>(text, 16);
  require(
      text.size() == digits && code && *code >= 0 && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff),
      "a string has the escape '{}', expected {} hexadecimal digits of a character", text, digits);
  return static_cast<int32_t>(*code);
}

}  // namespace

std::string unescaped(std::string_view literal) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv", kBytes = "\\'\"\a\b\f\n\r\t\v";
  std::string result;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      result += literal[i];
      continue;
    }
    const char c = literal[++i];
    if (const size_t known = kLetters.find(c); known != std::string_view::npos) {
      result += kBytes[known];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      result += utf8(code_at(literal, i + 1, digits));
      i += digits;
    } else if (c >= '0' && c <= '7') {
      int32_t code = 0;
      size_t end = i;
      while (end < std::min(i + 3, literal.size()) && literal[end] >= '0' && literal[end] <= '7') {
        code = 8 * code + (literal[end++] - '0');
      }
      result += utf8(code);
      i = end - 1;
    } else if (c == 'N') {
      fail({Fault::data, Code::unsupported_field}, "a string has the escape \\N, which is not supported");
    } else if (c != '\n') {  // a line end after a backslash is removed
      (result += '\\') += c;
    }
  }
  return result;
}

}  // namespace locus::chat
