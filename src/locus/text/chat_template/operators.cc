#include "locus/text/chat_template/operators.h"

#include <algorithm>
#include <cmath>

#include "locus/text/chat_template/print.h"
#include "locus/text/unicode.h"

namespace locus::chat {
namespace {

[[noreturn]] void refuse_operands(std::string_view sign, const Value& a, const Value& b) {
  fail(Fault::data, "the template computes {} {} {}, which is not defined", a.type(), sign, b.type());
}

void require_fit(bool overflow, std::string_view sign) {
  require(!overflow, "the result of {} does not fit into 64 bits", sign);
}

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (int64_t i = 0; i < exponent && result != 0 && (i < 2 || result != 1); ++i) {
    require_fit(__builtin_mul_overflow(result, base, &result), "**");
    if (base == -1 && i > 1) return exponent % 2 == 0 ? 1 : -1;
  }
  return result;
}

Value of_integers(std::string_view sign, int64_t a, int64_t b) {
  int64_t result = 0;
  if (sign == "+") {
    require_fit(__builtin_add_overflow(a, b, &result), sign);
  } else if (sign == "-") {
    require_fit(__builtin_sub_overflow(a, b, &result), sign);
  } else if (sign == "*") {
    require_fit(__builtin_mul_overflow(a, b, &result), sign);
  } else if (sign == "**") {
    if (b < 0) return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
    result = power(a, b);
  } else {
    require(b != 0, "the template divides by zero");
    if (sign == "/") return Value(static_cast<double>(a) / static_cast<double>(b));
    require_fit(b == -1 && a == std::numeric_limits<int64_t>::min(), sign);
    // Rounded down, so that the remainder has the sign of b.
    const bool rounds = a % b != 0 && (a < 0) != (b < 0);
    result = sign == "%" ? a % b + (rounds ? b : 0) : a / b - (rounds ? 1 : 0);
  }
  return Value(result);
}

Value of_floats(std::string_view sign, double a, double b) {
  if (sign == "+") return Value(a + b);
  if (sign == "-") return Value(a - b);
  if (sign == "*") return Value(a * b);
  if (sign == "**") return Value(std::pow(a, b));
  require(b != 0, "the template divides by zero");
  if (sign == "/") return Value(a / b);
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return Value(sign == "%" ? rest : std::round((a - rest) / b));
}

Value repeated(Steps& steps, const Value& value, int64_t times) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (const MarkedText* text = value.as_text()) {
    if (text->size() == 0) return value;
    require(count <= Steps::kMostBytes, "the template repeats a text {} times, expected at most {}", count,
            size_t{Steps::kMostBytes});
    steps.bytes(text->size() * count);
    MarkedText result;
    for (size_t i = 0; i < count; ++i) result.append(*text);
    return Value(std::move(result));
  }
  const List& list = *value.as_list();
  require(count <= Steps::kMost, "the template repeats a list {} times, expected at most {}", count,
          size_t{Steps::kMost});
  steps.take(1 + list.items.size() * count);
  std::vector<Value> items;
  for (size_t i = 0; i < count; ++i) items.insert(items.end(), list.items.begin(), list.items.end());
  return Value::list(std::move(items), list.kind);
}

Value joined(Steps& steps, const Value& a, const Value& b) {
  MarkedText result = printed(steps, a);
  result.append(printed(steps, b));
  steps.bytes(result.size());
  return Value(std::move(result));
}

bool contains(Steps& steps, const Value& container, const Value& item) {
  if (const MarkedText* text = container.as_text()) {
    if (item.as_text() == nullptr) refuse_operands("in", item, container);
    steps.bytes(text->size());
    return text->bytes().find(item.as_text()->bytes()) != std::string::npos;
  }
  if (const Map* map = container.as_map()) {
    steps.items(map->items.size());
    return map->find(item) != nullptr;
  }
  if (const List* list = container.as_list()) {
    steps.take(list->items.size() + std::min(list->weight, item.weight()));
    return std::ranges::any_of(list->items, [&](const Value& each) { return equal(each, item); });
  }
  if (container.is_undefined()) return false;
  if (const Namespace* names = container.as_names(); names != nullptr && item.as_text() != nullptr) {
    return names->find(item.as_text()->bytes()) != nullptr;
  }
  refuse_operands("in", item, container);
}

}  // namespace

void require_defined(const Value& value) {
  if (const Undefined* missing = value.as_undefined()) {
    fail(Fault::data, "the template uses {}, which is undefined", missing->name);
  }
}

std::optional<int64_t> integer_of(const Value& value) {
  if (const bool* flag = value.as_flag()) return *flag ? 1 : 0;
  return value.as_integer() == nullptr ? std::nullopt : std::optional(*value.as_integer());
}

std::optional<double> number_of(const Value& value) {
  if (const double* number = value.as_float()) return *number;
  const auto integer = integer_of(value);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

Value arithmetic(Steps& steps, std::string_view sign, const Value& a, const Value& b) {
  if (sign == "~") return joined(steps, a, b);
  require_defined(a);
  require_defined(b);
  const auto x = integer_of(a), y = integer_of(b);
  if (x && y) return of_integers(sign, *x, *y);
  if (number_of(a) && number_of(b)) return of_floats(sign, *number_of(a), *number_of(b));
  if (sign == "*" && (a.as_text() != nullptr || a.as_list() != nullptr) && y) return repeated(steps, a, *y);
  if (sign == "*" && (b.as_text() != nullptr || b.as_list() != nullptr) && x) return repeated(steps, b, *x);
  if (sign == "+" && a.as_text() != nullptr && b.as_text() != nullptr) return joined(steps, a, b);
  const List *left = a.as_list(), *right = b.as_list();
  if (sign == "+" && left != nullptr && right != nullptr && left->kind == right->kind) {
    steps.take(1 + left->items.size() + right->items.size());
    std::vector<Value> items = left->items;
    items.insert(items.end(), right->items.begin(), right->items.end());
    return Value::list(std::move(items), left->kind);
  }
  if (sign == "%" && a.as_text() != nullptr) {
    fail({Fault::data, Code::unsupported_field}, "formatting with % is not supported in a chat template");
  }
  refuse_operands(sign, a, b);
}

Value signed_value(std::string_view sign, const Value& value) {
  require_defined(value);
  if (const auto number = integer_of(value))
    return sign == "-" ? of_integers("-", 0, *number) : Value(*number);
  const auto number = number_of(value);
  require(number.has_value(), "the template computes {}{}, which is not defined", sign, value.type());
  return Value(sign == "-" ? -*number : *number);
}

bool is_less(Steps& steps, const Value& a, const Value& b) {
  require_defined(a);
  require_defined(b);
  if (const auto x = integer_of(a), y = integer_of(b); x && y) return *x < *y;
  if (const auto x = number_of(a), y = number_of(b); x && y) return *x < *y;
  steps.take(1 + std::min(a.weight(), b.weight()));
  if (a.as_text() != nullptr && b.as_text() != nullptr) return a.as_text()->bytes() < b.as_text()->bytes();
  const List *left = a.as_list(), *right = b.as_list();
  if (left == nullptr || right == nullptr || left->kind != right->kind) refuse_operands("<", a, b);
  for (size_t i = 0; i < std::min(left->items.size(), right->items.size()); ++i) {
    if (!equal(left->items[i], right->items[i])) return is_less(steps, left->items[i], right->items[i]);
  }
  return left->items.size() < right->items.size();
}

bool compare(Steps& steps, std::string_view sign, const Value& a, const Value& b) {
  if (sign == "in") return contains(steps, b, a);
  if (sign == "not in") return !contains(steps, b, a);
  steps.take(1 + std::min(a.weight(), b.weight()));
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  const auto x = number_of(a), y = number_of(b);
  if (x && y && (std::isnan(*x) || std::isnan(*y))) return false;
  if (sign == "<") return is_less(steps, a, b);
  if (sign == ">") return is_less(steps, b, a);
  return sign == "<=" ? !is_less(steps, b, a) : !is_less(steps, a, b);
}

std::vector<Value> items_of(Steps& steps, const Value& value) {
  std::vector<Value> items;
  if (const List* list = value.as_list()) {
    steps.items(list->items.size());
    return list->items;
  }
  if (const Map* map = value.as_map()) {
    steps.items(map->items.size());
    for (const auto& [key, item] : map->items) items.push_back(key);
  } else if (const MarkedText* text = value.as_text()) {
    steps.take(1 + text->size());
    for (size_t i = 0; i < text->size(); i += character_at(text->bytes(), i).length) {
      items.emplace_back(text->slice(i, i + character_at(text->bytes(), i).length));
    }
  } else {
    require(value.is_undefined(), "the template iterates over a {}, expected a list, a dict or a text",
            value.type());
  }
  return items;
}

}  // namespace locus::chat
