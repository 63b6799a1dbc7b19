// Parses a JSON object with one or two texts, whose member names the caller chooses: {"text": ..,
// "text_pair": ..}.
#pragma once

#include <string>
#include <string_view>

#include "locus/text/text_frame.h"

namespace locus {

struct TextMembers {
  const char* first = "text";
  const char* second = nullptr;  // nullptr: one text only
  bool both = false;             // the second text is required
};

// Throws if the input is not JSON, not an object, or misses a text. The error begins with `where`.
TextInput read_text_object(std::string_view json, const std::string& where, const TextMembers& members);

}  // namespace locus
