// A JSON object that holds a text, or two, under names of the caller's: {"text": .., "text_pair": ..}.
#pragma once

#include <string>
#include <string_view>

#include "locus/train/text_frame.h"

namespace locus {

struct TextMembers {
  const char* first = "text";
  const char* second = nullptr;  // nullptr: there is none
  bool both = false;             // the second must be there
};

// What is no JSON, no object, or lacks a text is an error that begins with `where`.
TextInput read_text_object(std::string_view json, const std::string& where, const TextMembers& members);

}  // namespace locus
