#include "locus/text/chat_template/arguments.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/chat_template/operators.h"

namespace locus::chat {

Parameters::Parameters(std::string function, const Arguments& arguments,
                       std::initializer_list<const char*> names)
    : function_(std::move(function)), names_(names), values_(names.size()) {
  require(arguments.positional.size() <= names_.size(), "{}: got {} arguments, expected at most {}",
          function_, arguments.positional.size(), names_.size());
  for (size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::ranges::find(names_, name);
    require(found != names_.end(), Code::unsupported_field, "{}: unknown argument {}", function_,
            quote(name));
    const Value*& place = values_[static_cast<size_t>(found - names_.begin())];
    require(place == nullptr, "{}: got the argument {} twice", function_, name);
    place = &value;
  }
}

const Value& Parameters::required(size_t i) const {
  require(values_[i] != nullptr, "{}: the argument {} is missing", function_, names_[i]);
  return *values_[i];
}

void Parameters::refuse(size_t i, std::string_view expected) const {
  require_defined(required(i));
  fail(Fault::data, "{}: {} is a {}, expected {}", function_, names_[i], values_[i]->type(), expected);
}

bool Parameters::flag(size_t i, bool preset) const {
  return values_[i] == nullptr ? preset : values_[i]->truth();
}

int64_t Parameters::integer(size_t i, std::optional<int64_t> preset) const {
  if (values_[i] == nullptr && preset) return *preset;
  const auto number = integer_of(required(i));
  if (!number) refuse(i, "an integer");
  return *number;
}

const MarkedText& Parameters::marked(size_t i) const {
  const MarkedText* text = required(i).as_text();
  if (text == nullptr) refuse(i, "a text");
  return *text;
}

const std::string& Parameters::text(size_t i) const { return marked(i).bytes(); }

std::optional<std::string> Parameters::optional_text(size_t i) const {
  if (values_[i] == nullptr || values_[i]->is_none()) return std::nullopt;
  return text(i);
}

}  // namespace locus::chat
