// The methods of texts, lists and maps, and the members of a value that are not its items.
#pragma once

#include "locus/text/chat_template/steps.h"
#include "locus/text/chat_template/value.h"

namespace locus::chat {

// value.name: a method, a member of a namespace or of a loop, or an item of a map.
Value member_of(Steps& steps, const Value& value, const std::string& name);

}  // namespace locus::chat
