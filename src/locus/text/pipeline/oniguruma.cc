#include "locus/text/pipeline/oniguruma.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "locus/base/error.h"
#include "locus/text/pipeline/pattern.h"

namespace locus {
namespace {

constexpr std::string_view kHexMembers = "0-9A-Fa-f";
// Outside of a class, Oniguruma also counts the superscripts and fractions of Latin-1 as word characters.
const std::string kOnigWord = std::string(kWordMembers) + R"(\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";

class Translator {
 public:
  Translator(std::string_view expression, const std::string& where) : from_(expression), where_(where) {}

  std::string run() {
    while (i_ < from_.size()) {
      const char c = from_[i_];
      if (c == '\\') {
        escape();
      } else if (c == '[') {
        character_class();
      } else if (c == '{') {
        interval();
      } else if (from_.substr(i_, 2) == "(?") {
        copy(2);
        options();
      } else {
        copy(1);
      }
    }
    return std::move(to_);
  }

 private:
  void copy(size_t count) {
    to_ += from_.substr(i_, count);
    i_ += count;
  }
  void put(std::string_view text, size_t instead_of) {
    to_ += text;
    i_ += instead_of;
  }
  char at(size_t i) const { return i < from_.size() ? from_[i] : '\0'; }
  [[noreturn]] void refuse(std::string_view what) const {
    fail({Fault::data, Code::unsupported_field}, "{} has {} at byte {}, which is not supported", where_, what,
         i_);
  }

  // (?m) of Oniguruma is (?s) elsewhere. Options for the rest of an expression include the alternatives after
  // a | in Oniguruma, but not in PCRE2. Both agree only at the beginning of an expression.
  void options() {
    const bool begins = i_ == 2;
    for (; std::string_view("imx-").find(at(i_)) != std::string_view::npos; ++i_) {
      to_ += at(i_) == 'm' ? 's' : at(i_);
    }
    if (at(i_) == ')' && !begins) refuse("options for the rest of an expression");
  }

  void interval() {
    const size_t end = std::min(from_.find_first_not_of("0123456789,", i_ + 1), from_.size());
    if (at(end) != '}' || end == i_ + 1) return copy(1);
    if (at(end + 1) == '+') refuse("an interval with a +");
    const bool exact = from_.substr(i_, end - i_).find(',') == std::string_view::npos;
    if (exact && at(end + 1) == '?') refuse("an interval of one number with a ?");
    if (at(i_ + 1) == ',') put("{0", 1);
    copy(end + 1 - i_);
  }

  // Escapes that mean the same inside and outside of a class: \u12ab, \p{..}, \x{..}, and single characters.
  void plain_escape() {
    const char kind = at(i_ + 1);
    if (kind == 'u') {
      const std::string_view digits = from_.substr(std::min(i_ + 2, from_.size()), 4);
      const bool whole = digits.size() == 4 &&
                         std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; });
      if (!whole) refuse("a \\u without four digits");
      return put(fmt::format("\\x{{{}}}", digits), 6);
    }
    const bool braced = (kind == 'p' || kind == 'P' || kind == 'x') && at(i_ + 2) == '{';
    if (!braced && (kind == 'p' || kind == 'P' || kind == 'Q' || kind == 'E')) {
      refuse(fmt::format("\\{} without braces", kind));
    }
    if (kind == 'X') refuse("\\X");                                 // PCRE2 splits other clusters
    if (kind == 'V') return put("V", 2);                            // PCRE2: everything but line breaks
    if (kind == 'x' && i_ + 2 == from_.size()) return put("x", 2);  // PCRE2: NUL
    if (!braced) return copy(2);
    const size_t end = std::min(from_.find('}', i_), from_.size() - 1);
    copy(3);
    if (kind != 'x' && at(i_) == '^') copy(1);
    // sc: selects the script itself. In PCRE2 the plain name means script extensions.
    if (kind != 'x' && is_script(from_.substr(i_, end - i_))) to_ += "sc:";
    copy(end + 1 - i_);
  }

  void escape() {
    switch (at(i_ + 1)) {
      case 'w':
        return put("[" + kOnigWord + "]", 2);
      case 'W':
        return put("[^" + kOnigWord + "]", 2);
      case 's':
        return put(fmt::format("[{}]", kBlankMembers), 2);
      case 'S':
        return put(fmt::format("[^{}]", kBlankMembers), 2);
      case 'v':
        return put("\\x{b}", 2);
      case 'h':
        return put(fmt::format("[{}]", kHexMembers), 2);
      case 'H':
        return put(fmt::format("[^{}]", kHexMembers), 2);
      case 'b':
        return put(fmt::format("(?:(?<=[{0}])(?![{0}])|(?<![{0}])(?=[{0}]))", kOnigWord), 2);
      case 'B':
        return put(fmt::format("(?:(?<=[{0}])(?=[{0}])|(?<![{0}])(?![{0}]))", kOnigWord), 2);
      default:
        return plain_escape();
    }
  }

  void escape_in_class() {
    const char kind = at(i_ + 1);
    if (kind == 'W' || kind == 'H') refuse(fmt::format("\\{} in a class", kind));
    if (kind == 'w') return put(kWordMembers, 2);
    if (kind == 's') return put(kBlankMembers, 2);
    if (kind == 'v') return put("\\x{b}", 2);
    if (kind == 'h') return put(kHexMembers, 2);
    plain_escape();
  }

  void character_class() {
    copy(at(i_ + 1) == '^' ? 2 : 1);
    if (at(i_) == ']') copy(1);
    bool joined = false;  // a nested class began or ended just before
    for (int depth = 1; depth > 0 && i_ < from_.size();) {
      const std::string_view next = from_.substr(i_, 2);
      const bool after_bracket = std::exchange(joined, next[0] == '[' || next[0] == ']');
      if (next == "[:" || next == "[^" || next == "&&") {
        refuse(next == "[:" ? "a POSIX class" : next == "&&" ? "&&" : "a negated class in a class");
      }
      if (next[0] == '[' || next[0] == ']') {
        depth += next[0] == '[' ? 1 : -1;
        depth > 0 ? put("", 1) : copy(1);
      } else if (next[0] == '\\') {
        escape_in_class();
      } else if (next[0] == '-' && (after_bracket || at(i_ + 1) == '[' || at(i_ + 1) == ']')) {
        put("\\-", 1);  // not a range
      } else {
        copy(1);
      }
    }
  }

  std::string_view from_;
  const std::string& where_;
  size_t i_ = 0;
  std::string to_;
};

}  // namespace

std::string from_oniguruma(std::string_view expression, const std::string& where) {
  return Translator(expression, where).run();
}

}  // namespace locus
