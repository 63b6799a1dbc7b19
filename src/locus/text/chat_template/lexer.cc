#include "locus/text/chat_template/lexer.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "locus/base/error.h"
#include "locus/text/chat_template/blank.h"

namespace locus::chat {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMostSource = size_t{1} << 20;

// With "\n" as the only line end, and without the one at the end of the source.
std::string with_newlines(std::string_view source) {
  std::string result;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    result += source[i] == '\r' ? '\n' : source[i];
  }
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)), all_(source_) {}

  std::vector<Token> run() {
    while (at_ < all_.size()) root();
    push(TokenKind::end, "");
    return std::move(tokens_);
  }

  int line() const { return line_; }

 private:
  bool starts(std::string_view word, size_t at) const {
    return all_.substr(std::min(at, all_.size())).starts_with(word);
  }
  void push(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  // Continues at `end`, and counts the lines before it.
  void go(size_t end) {
    line_ += static_cast<int>(std::ranges::count(all_.substr(at_, end - at_), '\n'));
    if (end > at_) line_starts_ = all_[end - 1] == '\n';
    at_ = end;
  }
  size_t after_blanks(size_t at) const { return at + stripped_begin(all_.substr(std::min(at, all_.size()))); }

  // Text up to the next tag, then the tag.
  void root() {
    size_t tag = at_;
    do {
      tag = all_.find('{', tag);
    } while (tag != kNone && !starts("{%", tag) && !starts("{{", tag) && !starts("{#", tag) &&
             ++tag != kNone);
    if (tag == kNone) {
      text(all_.size());
      go(all_.size());
      return;
    }
    const char sign = tag + 2 < all_.size() ? all_[tag + 2] : '\0';
    const bool has_sign = sign == '-' || sign == '+';
    text(sign == '-' ? at_ + stripped_end(all_.substr(at_, tag - at_))
                     : text_end(tag, has_sign || all_[tag + 1] == '{'));
    go(tag);
    const size_t inside = tag + (has_sign ? 3 : 2);
    if (all_[tag + 1] == '#') {
      comment(inside);
    } else if (all_[tag + 1] == '{') {
      push(TokenKind::output_begin, "");
      expression(inside, '}', TokenKind::output_end);
    } else if (const auto body = raw_begin(inside)) {
      raw(*body);
    } else {
      push(TokenKind::block_begin, "");
      expression(inside, '%', TokenKind::block_end);
    }
  }

  void text(size_t end) {
    if (end > at_) push(TokenKind::text, std::string(all_.substr(at_, end - at_)));
  }
  // Where the text before a tag ends: without the blanks of its line if it has nothing else, unless `whole`.
  size_t text_end(size_t tag, bool whole) const {
    if (whole) return tag;
    const size_t newline = all_.substr(at_, tag - at_).rfind('\n');
    if (newline == kNone && !line_starts_) return tag;
    const size_t begin = newline == kNone ? at_ : at_ + newline + 1;
    return after_blanks(begin) >= tag ? begin : tag;
  }
  // The end of "%}" or "#}" at `at`, with what it removes after it; nothing if there is no such end.
  std::optional<size_t> tag_end(size_t at, std::string_view mark) const {
    const char sign = at < all_.size() ? all_[at] : '\0';
    if (sign == '-' && starts(mark, at + 1)) return after_blanks(at + 3);
    if (sign == '+' && mark != "}}" && starts(mark, at + 1)) return at + 3;
    if (!starts(mark, at)) return std::nullopt;
    return at + (mark != "}}" && starts("\n", at + 2) ? 3 : 2);
  }

  void comment(size_t inside) {
    const size_t mark = all_.find("#}", inside);
    require(mark != kNone, "a comment has no end, expected #}}");
    const bool has_sign = mark > inside && (all_[mark - 1] == '-' || all_[mark - 1] == '+');
    go(*tag_end(has_sign ? mark - 1 : mark, "#}"));
  }

  // The end of {% raw %}, whose inside begins at `at`.
  std::optional<size_t> raw_begin(size_t at) const {
    at = after_blanks(at);
    if (!starts("raw", at)) return std::nullopt;
    at = after_blanks(at + 3);
    if (starts("-%}", at)) return after_blanks(at + 3);
    return starts("%}", at) ? std::optional(at + 2) : std::nullopt;
  }
  void raw(size_t body) {
    go(body);
    for (size_t tag = body; (tag = all_.find("{%", tag)) != kNone; ++tag) {
      const char sign = tag + 2 < all_.size() ? all_[tag + 2] : '\0';
      const bool has_sign = sign == '-' || sign == '+';
      size_t at = after_blanks(tag + (has_sign ? 3 : 2));
      if (!starts("endraw", at)) continue;
      at = after_blanks(at + 6);
      const auto end = tag_end(at, "%}");
      if (!end) continue;
      text(sign == '-' ? at_ + stripped_end(all_.substr(at_, tag - at_)) : text_end(tag, has_sign));
      go(*end);
      return;
    }
    fail(Fault::data, "a raw block has no end, expected {{% endraw %}}");
  }

  // The tokens of an expression up to its end mark. Inside brackets, the mark does not end it.
  void expression(size_t inside, char mark, TokenKind end) {
    go(inside);
    std::string open;
    for (;;) {
      require(at_ < all_.size(), "a tag has no end, expected {}}}", mark == '}' ? '}' : mark);
      if (open.empty()) {
        if (const auto next = tag_end(at_, mark == '}' ? "}}" : "%}")) {
          push(end, "");
          go(*next);
          return;
        }
      }
      if (const size_t next = after_blanks(at_); next > at_) {
        go(next);
      } else if (is_digit(all_[at_])) {
        number();
      } else if (is_name_start(all_[at_])) {
        size_t last = at_;
        while (last < all_.size() && is_name(all_[last])) ++last;
        push(TokenKind::name, std::string(all_.substr(at_, last - at_)));
        go(last);
      } else if (all_[at_] == '\'' || all_[at_] == '"') {
        string();
      } else {
        sign(open);
      }
    }
  }

  void number() {
    size_t end = at_;
    const auto digits = [&] {
      while (end < all_.size() && (is_digit(all_[end]) ||
                                   (all_[end] == '_' && end + 1 < all_.size() && is_digit(all_[end + 1])))) {
        ++end;
      }
    };
    const auto has_digit = [&](size_t i) { return i < all_.size() && is_digit(all_[i]); };
    digits();
    TokenKind kind = TokenKind::integer;
    if (end < all_.size() && all_[end] == '.' && has_digit(end + 1)) {
      ++end;
      digits();
      kind = TokenKind::real;
    }
    if (end < all_.size() && (all_[end] == 'e' || all_[end] == 'E')) {
      const size_t power =
          end + (end + 1 < all_.size() && (all_[end + 1] == '+' || all_[end + 1] == '-') ? 2 : 1);
      if (has_digit(power)) {
        end = power;
        digits();
        kind = TokenKind::real;
      }
    }
    std::string text(all_.substr(at_, end - at_));
    std::erase(text, '_');
    push(kind, std::move(text));
    go(end);
  }

  void string() {
    size_t end = at_ + 1;
    while (end < all_.size() && all_[end] != all_[at_]) end += all_[end] == '\\' ? 2 : 1;
    require(end < all_.size(), "a string has no end, expected {}", all_[at_]);
    push(TokenKind::string, unescaped(all_.substr(at_ + 1, end - at_ - 1)));
    go(end + 1);
  }

  void sign(std::string& open) {
    constexpr std::string_view kLong[] = {"//", "**", "==", "!=", ">=", "<="};
    for (const std::string_view each : kLong) {
      if (!starts(each, at_)) continue;
      push(TokenKind::sign, std::string(each));
      go(at_ + 2);
      return;
    }
    const char c = all_[at_];
    constexpr std::string_view kSigns = "+-/*%~[](){}<>=.:|,;", kOpen = "([{", kClose = ")]}";
    require(kSigns.find(c) != kNone, "unexpected character {}", name_of(character_at(all_, at_), all_, at_));
    if (kOpen.find(c) != kNone) open += kClose[kOpen.find(c)];
    if (kClose.find(c) != kNone) {
      require(!open.empty() && open.back() == c, "unexpected {}, expected {}", c,
              open.empty() ? std::string("no closing bracket") : open.substr(open.size() - 1));
      open.pop_back();
    }
    push(TokenKind::sign, std::string(1, c));
    go(at_ + 1);
  }

  std::string source_;
  std::string_view all_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_starts_ = true;  // only whitespace may be before at_ in its line
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  require(source.size() <= kMostSource, "the template has {} bytes, expected at most {}", source.size(),
          size_t{kMostSource});
  Lexer lexer(with_newlines(source));
  try {
    return lexer.run();
  } catch (const Error& error) {
    throw error.at(fmt::format("line {}", lexer.line()));
  }
}

}  // namespace locus::chat
