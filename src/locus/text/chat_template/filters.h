// The filters of a chat template, value | name(arguments), and its tests, value is name(arguments).
#pragma once

#include <string>

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

Value filtered(Steps& steps, const std::string& name, const Value& value, const Arguments& arguments);
bool tested(Steps& steps, const std::string& name, const Value& value, const Arguments& arguments);

// Throws if there is no such filter or test.
void require_filter(const std::string& name);
void require_test(const std::string& name);

// One kind of filters each, by name.
using Filter = Value (*)(Steps&, const Value&, const Arguments&);
Filter text_filter(std::string_view name);  // nullptr: there is no such filter
Filter list_filter(std::string_view name);
Filter choosing_filter(std::string_view name);

// The member of a value at a path such as "function.name" or "0", as the argument `attribute` has it.
Value at_path(Steps& steps, const Value& value, const Value& path);

}  // namespace locus::chat
