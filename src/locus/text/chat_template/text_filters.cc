// Filters that make texts and numbers.
#include <algorithm>
#include <cmath>
#include <map>

#include "locus/base/parse.h"
#include "locus/text/chat_template/arguments.h"
#include "locus/text/chat_template/filters.h"
#include "locus/text/chat_template/operators.h"
#include "locus/text/chat_template/print.h"
#include "locus/text/chat_template/rewrite.h"
#include "locus/text/chat_template/sequence.h"

namespace locus::chat {
namespace {

using V = const Value&;
using A = const Arguments&;

// The text of a value, which a filter for texts takes. It may be undefined.
MarkedText soft_text(Steps& steps, V value) { return printed(steps, value); }

Value cased(Steps& steps, V value, Letters letters) {
  return Value(with_letters(soft_text(steps, value), letters));
}

Value to_json_filter(Steps& steps, V value, A arguments) {
  const Parameters p("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  require_defined(value);
  JsonStyle style{.ascii = p.flag(0, false), .sort_keys = p.flag(3, false)};
  if (p.get(1) != nullptr && !p.get(1)->is_none()) {
    const auto spaces = integer_of(*p.get(1));
    style.indent =
        spaces ? std::string(static_cast<size_t>(std::clamp<int64_t>(*spaces, 0, 64)), ' ') : p.text(1);
    require(style.indent->size() <= 64, "tojson: indent has {} characters, expected at most 64",
            style.indent->size());
  }
  if (p.get(2) != nullptr && !p.get(2)->is_none()) {
    const List* both = p.get(2)->as_list();
    const bool fits = both != nullptr && both->items.size() == 2 && both->items[0].as_text() != nullptr &&
                      both->items[1].as_text() != nullptr;
    if (!fits) p.refuse(2, "two texts");
    style.item_separator = both->items[0].as_text()->bytes();
    style.key_separator = both->items[1].as_text()->bytes();
    require(style.item_separator->size() + style.key_separator->size() <= 128,
            "tojson: the separators have more than 128 characters");
  }
  return Value(to_json(steps, value, style));
}

// The number of a text in a base; its prefix, such as 0x, may be missing.
std::optional<int64_t> number_in(std::string_view text, int64_t base) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.starts_with('-')) return std::nullopt;
  const auto number = locus::parse<int64_t>(text, static_cast<int>(base));
  return number && negative ? -*number : number;
}

Value to_integer(Steps& steps, V value, A arguments) {
  const Parameters p("int", arguments, {"default", "base"});
  if (const auto number = integer_of(value)) return Value(*number);
  const auto preset = [&] { return p.get(0) == nullptr ? Value(int64_t{0}) : *p.get(0); };
  const int64_t base = p.integer(1, 10);
  require(base == 10 || base == 16 || base == 8 || base == 2, "int: base is {}, expected 2, 8, 10 or 16",
          base);
  double number = 0;
  if (const double* given = value.as_float()) {
    number = *given;
  } else if (value.as_text() != nullptr) {
    steps.bytes(value.as_text()->size());
    const MarkedText text = stripped(*value.as_text(), Side::both, std::nullopt);
    if (const auto parsed = number_in(text.bytes(), base)) return Value(*parsed);
    const auto parsed = locus::parse<double>(text.bytes());
    if (!parsed) return preset();
    number = *parsed;
  } else {
    return preset();
  }
  if (!(std::abs(number) < 9e18)) return preset();
  return Value(static_cast<int64_t>(number));
}

Value to_float(Steps& steps, V value, A arguments) {
  const Parameters p("float", arguments, {"default"});
  if (const auto number = number_of(value)) return Value(*number);
  if (value.as_text() != nullptr) {
    steps.bytes(value.as_text()->size());
    if (const auto number =
            locus::parse<double>(stripped(*value.as_text(), Side::both, std::nullopt).bytes()))
      return Value(*number);
  }
  return p.get(0) == nullptr ? Value(0.0) : *p.get(0);
}

// Half to even, as Python rounds.
Value rounded(Steps&, V value, A arguments) {
  const Parameters p("round", arguments, {"precision", "method"});
  const auto number = number_of(value);
  require(number.has_value(), "round: got a {}, expected a number", value.type());
  const std::string method = p.get(1) == nullptr ? "common" : p.text(1);
  const double scale = std::pow(10.0, static_cast<double>(std::clamp<int64_t>(p.integer(0, 0), -300, 300)));
  require(method == "common" || method == "floor" || method == "ceil",
          "round: method is {}, expected common, ceil or floor", method);
  if (const auto integer = integer_of(value); integer && method == "common") return Value(*integer);
  const double scaled = *number * scale;
  const double whole = method == "floor"  ? std::floor(scaled)
                       : method == "ceil" ? std::ceil(scaled)
                                          : std::nearbyint(scaled);
  return Value(whole / scale);
}

Value absolute(Steps&, V value, A) {
  require_defined(value);
  if (const auto number = integer_of(value)) return *number < 0 ? signed_value("-", value) : Value(*number);
  const auto number = number_of(value);
  require(number.has_value(), "abs: got a {}, expected a number", value.type());
  return Value(std::abs(*number));
}

// Every line but the first is moved to the right.
Value indented(Steps& steps, V value, A arguments) {
  const Parameters p("indent", arguments, {"width", "first", "blank"});
  const Value* width = p.get(0);
  const MarkedText margin =
      width != nullptr && width->as_text() != nullptr
          ? *width->as_text()
          : MarkedText(std::string(static_cast<size_t>(std::clamp<int64_t>(p.integer(0, 4), 0, 1000)), ' '));
  const bool first = p.flag(1, false), blank = p.flag(2, false);
  const MarkedText text = soft_text(steps, value);
  MarkedText result;
  size_t number = 0;
  for (size_t begin = 0; begin <= text.size(); ++number) {
    const size_t end = std::min(text.bytes().find('\n', begin), text.size());
    if (number > 0) result.append("\n", text.origin(begin - 1));
    if ((number > 0 || first) && (blank || end > begin)) result.append(margin);
    result.append(text.slice(begin, end));
    require(result.size() <= Steps::kMostBytes, "indent: the text has more than {} bytes",
            size_t{Steps::kMostBytes});
    begin = end + 1;
  }
  steps.bytes(result.size());
  steps.take(1 + number);
  return Value(std::move(result));
}

Value trimmed(Steps& steps, V value, A arguments) {
  const Parameters p("trim", arguments, {"chars"});
  return Value(stripped(soft_text(steps, value), Side::both, p.optional_text(0)));
}

Value replaced_filter(Steps& steps, V value, A arguments) {
  const Parameters p("replace", arguments, {"old", "new", "count"});
  const bool all = p.get(2) == nullptr || p.get(2)->is_none();
  return Value(replaced(steps, soft_text(steps, value), printed(steps, p.required(0)).bytes(),
                        printed(steps, p.required(1)), all ? -1 : p.integer(2)));
}

}  // namespace

Filter text_filter(std::string_view name) {
  static const std::map<std::string, Filter, std::less<>> filters = {
      {"trim", trimmed},
      {"upper", [](Steps& s, V v, A) { return cased(s, v, Letters::upper); }},
      {"lower", [](Steps& s, V v, A) { return cased(s, v, Letters::lower); }},
      {"capitalize", [](Steps& s, V v, A) { return cased(s, v, Letters::capitalized); }},
      {"title", [](Steps& s, V v, A) { return cased(s, v, Letters::title_filter); }},
      {"string", [](Steps& s, V v, A) { return v.as_text() != nullptr ? v : Value(printed(s, v)); }},
      {"safe", [](Steps& s, V v, A) { return v.as_text() != nullptr ? v : Value(printed(s, v)); }},
      {"replace", replaced_filter},
      {"indent", indented},
      {"tojson", to_json_filter},
      {"int", to_integer},
      {"float", to_float},
      {"round", rounded},
      {"abs", absolute},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : found->second;
}

}  // namespace locus::chat
