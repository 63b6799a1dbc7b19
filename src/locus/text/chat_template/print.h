// The text of a value, as Python's str(), repr() and json.dumps() write it.
#pragma once

#include <optional>

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

MarkedText printed(Steps& steps, const Value& value);  // str(); nothing for an undefined value
std::string float_text(double number);                 // repr(): 1.0, 1e+16

// The arguments of transformers' tojson.
struct JsonStyle {
  bool ascii = false, sort_keys = false;
  std::optional<std::string> indent = {};  // of one level; each item is a line
  std::optional<std::string> item_separator = {}, key_separator = {};
};
MarkedText to_json(Steps& steps, const Value& value, const JsonStyle& style);

}  // namespace locus::chat
