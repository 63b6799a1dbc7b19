// The operators of a chat template: those of Python.
#pragma once

#include <optional>
#include <string_view>

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

Value arithmetic(Steps& steps, std::string_view sign, const Value& a, const Value& b);  // + - * / // % ** ~
Value signed_value(std::string_view sign, const Value& value);                          // -x, +x
bool compare(Steps& steps, std::string_view sign, const Value& a,
             const Value& b);  // == != < <= > >= in, not in

// Whether a is before b in a sorted list.
bool is_less(Steps& steps, const Value& a, const Value& b);
// The items of a list, keys of a map, or characters of a text; none of an undefined value.
std::vector<Value> items_of(Steps& steps, const Value& value);
// Throws if the value is undefined, and names it.
void require_defined(const Value& value);

// The number of a value; true is 1. Nothing if it is not a number.
std::optional<int64_t> integer_of(const Value& value);
std::optional<double> number_of(const Value& value);

}  // namespace locus::chat
