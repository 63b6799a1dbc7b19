// The arguments of a call by the parameters of the function, checked.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "locus/text/chat_template/value.h"

namespace locus::chat {

class Parameters {
 public:
  // `function` names the function in errors. Throws for arguments that the function does not have.
  Parameters(std::string function, const Arguments& arguments, std::initializer_list<const char*> names);

  const Value* get(size_t i) const { return values_[i]; }  // nullptr: omitted
  const Value& required(size_t i) const;
  bool flag(size_t i, bool preset) const;  // whether it is true
  int64_t integer(size_t i, std::optional<int64_t> preset = {}) const;
  const std::string& text(size_t i) const;                   // the bytes of a required text
  std::optional<std::string> optional_text(size_t i) const;  // nothing: omitted or none
  const MarkedText& marked(size_t i) const;
  [[noreturn]] void refuse(size_t i, std::string_view expected) const;

 private:
  std::string function_;
  std::vector<const char*> names_;
  std::vector<const Value*> values_;
};

}  // namespace locus::chat
